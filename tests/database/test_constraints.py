"""Every constraint and trigger refuses the row that breaks it, and says its own name.

`CASES` holds the ways to break each rule, past the services. A rule without a case fails
`test_every_rule_has_a_case`. To add a case, name the rule and write a row that breaks only it:
`again` inserts a copy of a row with some values changed, `change` updates a row, `delete` deletes
it. A rule is called by the name of its constraint or trigger, a unique field by `table.column`.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.apps import apps
from django.conf import settings
from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone

from accounts.models import Collection, Membership, Role, User
from adjudication.models import Decision, DueCount, Referral
from agreement.models import Report
from annotation.models import Exclusion, Guideline, Judgment, Opening, Pair, Slot, SlotCount
from annotation.services import open_query
from corpus.models import (
    Document,
    DocumentImport,
    Facet,
    FullText,
    ImportStep,
    Query,
    QueryPaper,
    Topic,
)
from corpus.services import create_query
from curation.models import (
    Labeller,
    LabelRecord,
    PaperType,
    QueryChoice,
    Sample,
    SampledPaper,
    Screening,
)
from evaluation.models import ErrorTag, ShadowJudge, ShadowLabel
from jobs.models import Job, State
from pooling.models import (
    BuildRun,
    Candidate,
    Contribution,
    DrawnList,
    LastPlan,
    Pool,
    PoolReport,
    SavedPlan,
)
from release.models import (
    AnnotatorProfile,
    DatasheetAnswer,
    Erratum,
    ProfileThreshold,
    PublicPeriod,
    Release,
    ReleaseException,
    ReleaseImport,
)
from reports.models import StoredReport
from retrieval.models import Ranking, Run
from scoring.models import Fold, FoldPlan, Scores, System, SystemKind, SystemRanking
from studies.models import Study, StudyPair, StudyRating
from tests.support.curation import a_label_record, a_sample
from tests.support.factories import (
    DocumentFactory,
    UserFactory,
    a_collection,
    a_query,
    a_topic,
    an_open_topic,
    annotators,
    member,
)
from tests.support.screened_samples import a_choice
from tests.support.sittings import judge_both, settle
from tests.support.study_scenes import attach_full_texts, rate

pytestmark = pytest.mark.django_db


class World(NamedTuple):
    """One row of everything. Its rows break no rule."""

    collection: Collection
    annotating: Membership  # of ann1, who has pairs to judge
    adjudicating: Membership
    first: User  # has seat 1 of the opening, as ann1
    second: User  # has seat 2 of the opening, as ann2
    third: User  # an annotator without a seat
    stranger: User  # has no role
    facet: Facet
    other_facet: Facet
    query_paper: QueryPaper  # of the draft
    topic: Topic  # in no pool
    topic_query: Query  # of that topic
    frozen_topic: Topic
    query: Query
    sentence_query: Query  # of sentences 1 and 3 of the query paper of that query
    draft: Pool
    candidate: Candidate  # of the draft
    contribution: Contribution  # of that candidate
    document: Document  # in no pool
    label_record: LabelRecord  # predicted, of that document
    labeller: Labeller
    paper_type: PaperType
    sample: Sample
    sampled_paper: SampledPaper
    screening: Screening
    run: Run
    ranking: Ranking
    build_run: BuildRun  # of the draft
    draft_without_run: Pool  # its run was removed
    drawn_list: DrawnList
    guideline: Guideline
    opening: Opening
    bare_opening: Opening  # without seats
    exclusion: (
        Exclusion  # of the opening's query paper; the bare opening's excludes the same person
    )
    frozen: Pool
    frozen_candidate: Candidate
    frozen_contribution: Contribution
    frozen_ranking: Ranking  # of a run that the frozen pool was drawn from
    frozen_build_run: BuildRun
    frozen_drawn_list: DrawnList
    pair: Pair  # decided
    slots: tuple[Slot, Slot]  # of that pair
    judgments: tuple[Judgment, Judgment]  # in those slots
    other_judgments: tuple[Judgment, Judgment]  # of another decided pair
    decision: Decision
    open_slots: tuple[Slot, Slot]  # of a pair without judgments
    bare_pair: Pair  # without slots
    last_plan: LastPlan
    saved_plan: SavedPlan
    query_choice: QueryChoice
    pool_report: PoolReport
    report: Report
    job: Job
    release: Release
    public: PublicPeriod  # of that release
    exception: ReleaseException  # of that release
    past_public: PublicPeriod
    erratum: Erratum  # open, of that release
    settled_erratum: Erratum
    release_import: ReleaseImport
    full_text: FullText  # of a document in the study
    study: Study  # its rater is `third`
    study_pair: StudyPair
    study_rating: StudyRating
    ended_study: Study
    shadow_judge: ShadowJudge
    shadow_label: ShadowLabel
    stored_report: StoredReport
    ended_pair: StudyPair
    system: System
    system_ranking: SystemRanking
    scores: Scores
    fold: Fold
    fold_plan: FoldPlan
    document_import: DocumentImport
    import_step: ImportStep  # 0 of that import, which read 3 documents
    error_tag: ErrorTag
    datasheet_answer: DatasheetAnswer
    profile_threshold: ProfileThreshold
    annotator_profile: AnnotatorProfile


@pytest.fixture(scope="module", autouse=True)
def world(django_db_setup, django_db_blocker):
    """Built once. Every test breaks its rule in a savepoint of its own."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield build_world()
        transaction.set_rollback(True)


def build_world() -> World:
    collection = a_collection()
    query = a_query(collection)
    draft = query.query_paper.pool
    candidate = draft.candidates.get(position=1)
    opened = a_query(collection)
    frozen = opened.query_paper.pool
    run, frozen_run = (
        collection.runs.create(name=name, kind="file", sha256="0" * 64)
        for name in ("run", "frozen")
    )
    build_run_of(frozen, frozen_run)
    frozen_run.rankings.create(query_paper=frozen.query_paper, docnos=[], scores=[])
    frozen.build.drawn_lists.create(query_paper="d000", documents=[])
    opening = open_query(query=opened, annotators=annotators(collection), opened_by=None)
    frozen_candidate = frozen.candidates.get(position=1)
    release = collection.releases.create(version="1", sha256="0" * 64, size=1, manifest={})
    decided, other = judge_both(opening, (1, 3), (0, 2))
    settle(other, User.objects.get(username="adju"), 2)
    draft_without_run = a_query(collection).query_paper.pool
    build_run_of(draft_without_run, None)
    slots = slots_of_pair(decided.pair)
    topic_query = a_topic(collection)
    document_import = collection.document_imports.create(
        source="a.jsonl", format_name="jsonl", read=3, created=3, updated=0, unchanged=0
    )
    system = collection.systems.create(name="system", kind=SystemKind.FILE, sha256="0" * 64)
    excluded = member(collection, Role.ANNOTATOR, "ann4")
    studied = other.pair.candidate.document
    attach_full_texts(opened.query_paper.document, studied)
    study, ended_study = (
        collection.studies.create(name=name, rater=member(collection, Role.ANNOTATOR, "ann3"))
        for name in ("texts", "ended")
    )
    study_pair, ended_pair = (
        each.pairs.create(pair=other.pair, position=1, token="token", label=2)
        for each in (study, ended_study)
    )
    study_rating = rate(study, 1, grade=2)
    change(ended_study, ended_at=timezone.now())
    query.query_paper.exclusions.create(annotator=excluded)
    shadow_judge = collection.shadow_judges.create(
        name="model", filename="model.txt", labels_count=1, sha256="0" * 64
    )
    document = DocumentFactory(collection=collection)
    sampled_paper = a_sample(collection).papers.create(document=document, position=1)
    paper_type = collection.paper_types.create(key="survey", name="Survey", position=1)
    return World(
        system=system,
        system_ranking=system.rankings.create(query=query, docnos=[], scores=[]),
        scores=system.scores.create(profile="trec", state="0" * 64, summary=[], values={}),
        fold=Fold.objects.create(query=query, number=1),
        fold_plan=FoldPlan.objects.create(collection=query.collection, made=2),
        collection=collection,
        annotating=collection.memberships.get(user__username="ann1"),
        adjudicating=collection.memberships.get(user__username="adju"),
        first=User.objects.get(username="ann1"),
        second=User.objects.get(username="ann2"),
        third=member(collection, Role.ANNOTATOR, "ann3"),
        stranger=UserFactory(username="stranger"),
        facet=collection.facets.get(key="method"),
        other_facet=collection.facets.get(key="result"),
        query_paper=query.query_paper,
        topic=topic_query.query_paper.topic,
        topic_query=topic_query,
        frozen_topic=an_open_topic(collection, name="frozen").query.query_paper.topic,
        query=query,
        sentence_query=create_query(
            collection=collection,
            docno=query.query_paper.name,
            facet_key="method",
            sentences=(1, 3),
        ),
        draft=draft,
        candidate=candidate,
        contribution=candidate.contributions.get(),
        document=document,
        label_record=a_label_record(document, confidences=[0.9, 0.8, 0.7]),
        labeller=collection.labellers.create(
            name="ours", labels=[], training={}, weights=b"", digest="0" * 64
        ),
        paper_type=paper_type,
        sample=sampled_paper.sample,
        sampled_paper=sampled_paper,
        screening=sampled_paper.screenings.create(
            screener=excluded, paper_type=paper_type, rating=3
        ),
        run=run,
        ranking=run.rankings.create(query_paper=query.query_paper, docnos=[], scores=[]),
        build_run=build_run_of(draft, run),
        draft_without_run=draft_without_run,
        drawn_list=draft.build.drawn_lists.create(query_paper="d000", documents=[]),
        guideline=opening.guideline,
        opening=opening,
        bare_opening=Opening.objects.create(query=query, guideline=opening.guideline),
        exclusion=opened.query_paper.exclusions.create(annotator=excluded),
        frozen=Pool.objects.get(pk=frozen.pk),
        frozen_candidate=frozen_candidate,
        frozen_contribution=frozen_candidate.contributions.get(),
        frozen_ranking=frozen_run.rankings.get(),
        frozen_build_run=frozen.build.build_runs.get(),
        frozen_drawn_list=frozen.build.drawn_lists.get(),
        pair=decided.pair,
        slots=slots,
        judgments=(slots[0].judgment, slots[1].judgment),
        other_judgments=tuple(slot.judgment for slot in slots_of_pair(other.pair)),
        decision=settle(decided, User.objects.get(username="adju"), 2),
        open_slots=slots_of_pair(Slot.objects.unjudged().first().pair),
        bare_pair=Pair.objects.create(query=query, candidate=candidate, token="bare"),
        last_plan=LastPlan.objects.create(collection=collection, fields={}),
        saved_plan=collection.saved_plans.create(name="Deep", fields={}),
        query_choice=a_choice(collection),
        pool_report=collection.pool_reports.create(
            kind="kind", state="", payload=[], began_at=timezone.now(), seconds=1
        ),
        report=collection.reports.create(missing="zero", state="0" * 64, payload={}),
        job=collection.jobs.create(kind="kind", key="key", state=State.QUEUED),
        release=release,
        public=release.public_periods.create(page={}),
        exception=release.exceptions.create(check_name="licence", reason="Stated elsewhere."),
        past_public=release.public_periods.create(
            page={}, began_at=timezone.now(), ended_at=timezone.now() + timedelta(days=1)
        ),
        erratum=release.errata.create(number=1, query="q", problem="Wrong."),
        release_import=ReleaseImport.objects.create(
            collection=collection, version="1.0", sha256="0" * 64
        ),
        settled_erratum=release.errata.create(
            **{"number": 2, "query": "q", "problem": "Wrong.", "state": "declined"},
            **{"answer": "No.", "settled_at": timezone.now()},
        ),
        full_text=studied.full_text,
        study=study,
        study_pair=study_pair,
        study_rating=study_rating,
        ended_study=Study.objects.get(pk=ended_study.pk),
        ended_pair=ended_pair,
        shadow_judge=shadow_judge,
        shadow_label=shadow_judge.labels.create(pair=other.pair, grade=3),
        stored_report=collection.stored_reports.create(
            kind="kind", version=1, state="", computed_at=timezone.now(), seconds=1, payload={}
        ),
        document_import=document_import,
        import_step=document_import.steps.create(position=0, name="read", removed=0, remaining=3),
        error_tag=ErrorTag.objects.create(
            system="sys", pair=decided.pair, kind="miss", type="context", grade=2
        ),
        datasheet_answer=collection.datasheet_answers.create(question="pay", text="Unpaid."),
        profile_threshold=ProfileThreshold.objects.create(collection=collection),
        annotator_profile=collection.annotator_profiles.create(
            user=User.objects.get(username="adju"), degree="master"
        ),
    )


def screening_of(collection: Collection) -> Screening:
    sample = collection.samples.create(name="all", per_stratum=2, seed="seed")
    paper = sample.papers.create(document=DocumentFactory(collection=collection), position=1)
    kind = collection.paper_types.create(key="survey", name="Survey", position=0)
    screener = UserFactory(username="screener")
    return paper.screenings.create(screener=screener, paper_type=kind, rating=3)


def build_run_of(pool: Pool, run: Run | None) -> BuildRun:
    return pool.build.build_runs.create(run=run, name="run", use="drawn", sha256="0" * 64)


def slots_of_pair(pair: Pair) -> tuple[Slot, Slot]:
    first, second = Slot.objects.filter(pair=pair).select_related("judgment").order_by("number")
    return first, second


def again(row: models.Model, **changes: Any) -> None:
    """Insert a copy of the row, as raw as `bulk_create` is."""
    fields = [field for field in row._meta.concrete_fields if not field.primary_key]
    copy = type(row)(**{field.name: getattr(row, field.name) for field in fields} | changes)
    type(row)._base_manager.bulk_create([copy])


def elsewhere(row: models.Model) -> None:
    """Insert a copy of the row into another collection."""
    again(row, collection=Collection.objects.create(slug="elsewhere", name="Elsewhere"))


def change(row: models.Model, **changes: Any) -> None:
    type(row)._base_manager.filter(pk=row.pk).update(**changes)


def delete(row: models.Model) -> None:
    type(row)._base_manager.filter(pk=row.pk)._raw_delete(connection.alias)


class Case(NamedTuple):
    """A way to break a rule. `behind` are triggers that would refuse the row first."""

    rule: str
    broken_by: Callable[[World], None]
    behind: tuple[str, ...] = ()


def judged_again(world: World, **changes: Any) -> None:
    again(world.judgments[0], **{"sequence": 9, "key": uuid.uuid4()} | changes)


def decided_again(world: World, **changes: Any) -> None:
    again(world.decision, **{"sequence": 9, "key": uuid.uuid4()} | changes)


def referred(world: World, recipient: str = "adjudicator", **changes: Any) -> Referral:
    first, second = world.judgments
    row = {"pair": world.pair, "recipient": recipient, "first": first, "second": second}
    return Referral.objects.create(**row | {"reason": "Wrong."} | changes)


def referred_in_a_study(world: World) -> None:
    pair = world.study_pair.pair
    first, second = (slot.judgment for slot in slots_of_pair(pair))
    referred(world, "judges", pair=pair, first=first, second=second)


def shown_from_before(world: World) -> None:
    referred(world, "judges")
    change(world.slots[0], judgment=world.judgments[0])


def opened_again_for(world: World, number: int, annotator: User) -> None:
    referred(world, "judges")
    change(world.slots[number - 1], annotator=annotator)


def handed_to_the_other_judge(world: World) -> None:
    opened_again_for(world, 2, world.third)
    change(world.slots[0], annotator=world.second)


def decided_by_a_judge_from_before(world: World) -> None:
    opened_again_for(world, 1, world.third)
    decided_again(world, adjudicator=world.first)


def rated_again(world: World, **changes: Any) -> None:
    again(world.study_rating, **{"sequence": 9, "key": uuid.uuid4()} | changes)


def studied_again(world: World, **changes: Any) -> None:
    """Another pair in the study. It has two judgments, and no full text."""
    new = {"pair": world.pair, "position": 2, "token": "other"}
    again(world.study_pair, **new | changes)


def studied_elsewhere(world: World) -> None:
    collection = Collection.objects.create(slug="elsewhere", name="Elsewhere")
    member(collection, Role.ANNOTATOR, world.third.username)
    study = collection.studies.create(name="texts", rater=world.third)
    again(world.study_pair, study=study)


def labelled_elsewhere(world: World) -> None:
    collection = Collection.objects.create(slug="elsewhere", name="Elsewhere")
    judge = collection.shadow_judges.create(
        name="model", filename="model.txt", labels_count=1, sha256="0" * 64
    )
    again(world.shadow_label, shadow_judge=judge)


def shown_after_a_later_one(world: World) -> None:
    judged_again(world)
    change(world.slots[0], judgment=world.judgments[0])


def decided_after_a_revision(world: World) -> None:
    judged_again(world)
    change(world.slots[0], judgment=Judgment.objects.get(slot=world.slots[0], sequence=9))
    decided_again(world)


def later_guideline(world: World) -> Guideline:
    again(world.guideline, version=9)
    return Guideline.objects.get(facet=world.facet, version=9)


def given(world: World, role: str, user: User) -> Any:
    """A role that the person had before."""
    return world.collection.given_roles.create(user=user, role=role)


def annotating_after_admin(world: World) -> None:
    given(world, "admin", world.stranger)
    again(world.annotating, user=world.stranger)


def changed_to_annotating_after_admin(world: World) -> None:
    given(world, "admin", world.adjudicating.user)
    change(world.adjudicating, role="annotator")


def judged_by_an_admin(world: World) -> None:
    given(world, "admin", world.judgments[0].annotator)
    judged_again(world)


def make_a_later_version_public(world: World) -> None:
    later = world.collection.releases.create(version="2", sha256="0" * 64, size=1, manifest={})
    later.public_periods.create(page={})


def judged_again_after_a_public_version(world: World) -> None:
    make_a_later_version_public(world)
    judged_again(world)


def decided_again_after_a_public_version(world: World) -> None:
    make_a_later_version_public(world)
    decided_again(world)


def studied_by_an_adjudicator(world: World) -> None:
    given(world, "adjudicator", world.study.rater)
    again(world.study, name="other")


def rated_by_an_adjudicator(world: World) -> None:
    given(world, "adjudicator", world.study.rater)
    rated_again(world)


def deletion_begun_and_undone(world: World) -> None:
    marks = ("archived_at", "exported_at", "deletion_began_at")
    change(world.collection, **dict.fromkeys(marks, timezone.now()))
    change(world.collection, deletion_began_at=None)


CASES = [
    # accounts
    Case("accounts_user.username", lambda world: again(world.first)),
    Case("accounts_collection.slug", lambda world: again(world.collection)),
    Case(
        "collection_has_two_to_five_grades",
        lambda world: change(world.collection, highest_grade=5),
        behind=("scale_stays_once_opened",),
    ),
    Case(
        "collection_relevant_from_is_a_grade",
        lambda world: change(world.collection, relevant_from=0),
        behind=("scale_stays_once_opened",),
    ),
    Case(
        "collection_exported_while_archived",
        lambda world: change(world.collection, exported_at=timezone.now()),
    ),
    Case(
        "collection_deleted_after_export",
        lambda world: change(world.collection, deletion_began_at=timezone.now()),
    ),
    Case("collection_deletion_never_undone", deletion_begun_and_undone),
    Case(
        "collection_relevant_from_is_a_grade",
        lambda world: change(world.collection, relevant_from=4),
        behind=("scale_stays_once_opened",),
    ),
    Case("scale_stays_once_opened", lambda world: change(world.collection, highest_grade=4)),
    Case("scale_stays_once_opened", lambda world: change(world.collection, relevant_from=1)),
    Case("membership_role_once", lambda world: again(world.adjudicating)),
    Case("membership_role_known", lambda world: again(world.adjudicating, role="owner")),
    Case("membership_admin_never_annotator", lambda world: again(world.annotating, role="admin")),
    Case("membership_former_admin_never_annotator", annotating_after_admin),
    Case("membership_former_admin_stays_no_annotator", changed_to_annotating_after_admin),
    Case("given_role_once", lambda world: again(world.collection.given_roles.first())),
    Case(
        "given_role_never_edited",
        lambda world: change(world.collection.given_roles.first(), role="curator"),
    ),
    Case("given_role_never_deleted", lambda world: delete(world.collection.given_roles.first())),
    Case("membership_with_pairs_to_judge_stays", lambda world: delete(world.annotating)),
    Case(
        "membership_with_pairs_to_judge_unchanged",
        lambda world: change(world.annotating, role="adjudicator"),
    ),
    Case(
        "membership_with_pairs_to_judge_unchanged",
        lambda world: change(world.annotating, user=world.stranger),
    ),
    # jobs
    Case("job_live_once_per_key", lambda world: again(world.job)),
    Case("job_state_known", lambda world: again(world.job, key="other", state="lost")),
    Case(
        "job_running_has_lease",
        lambda world: again(world.job, key="other", state=State.RUNNING, lease=None),
    ),
    # corpus
    Case(
        "facet_key_once",
        lambda world: again(world.facet, position=9),
        behind=("facet_never_added_once_opened",),
    ),
    Case(
        "facet_position_once",
        lambda world: again(world.facet, key="other"),
        behind=("facet_never_added_once_opened",),
    ),
    Case("document_docno_once", lambda world: again(world.document)),
    Case("document_has_docno", lambda world: again(world.document, docno="")),
    Case("import_keeps_what_it_read", lambda world: again(world.document_import, created=4)),
    Case("corpus_documentimport_never_edited", lambda world: change(world.document_import, read=4)),
    Case("corpus_documentimport_never_deleted", lambda world: delete(world.document_import)),
    Case("import_step_position_once", lambda world: again(world.import_step)),
    Case(
        "import_step_continues",
        lambda world: again(world.import_step, position=1, removed=1, remaining=1),
    ),
    Case("corpus_importstep_never_edited", lambda world: change(world.import_step, removed=1)),
    Case("corpus_importstep_never_deleted", lambda world: delete(world.import_step)),
    Case("topic_name_once", lambda world: again(world.topic)),
    Case("topic_has_name", lambda world: again(world.topic, name="")),
    Case("topic_of_query_paper_keeps_name", lambda world: change(world.topic, name="other")),
    Case("corpus_querypaper.document_id", lambda world: elsewhere(world.query_paper)),
    Case("corpus_querypaper.topic_id", lambda world: elsewhere(world.topic_query.query_paper)),
    Case(
        "query_paper_name_once",
        lambda world: QueryPaper.objects.create(
            collection=world.collection,
            document=DocumentFactory(collection=world.collection, docno=world.topic.name),
            name=world.topic.name,
        ),
    ),
    Case(
        "query_paper_is_document_or_topic",
        lambda world: change(
            world.query_paper,
            topic=Topic.objects.create(collection=world.collection, name="another"),
        ),
    ),
    Case(
        "query_paper_named_as_its_source_insert",
        lambda world: QueryPaper.objects.create(
            collection=world.collection, document=world.document, name="other"
        ),
    ),
    Case(
        "query_paper_named_as_its_source_update",
        lambda world: change(world.query_paper, name="other"),
    ),
    Case(
        "document_of_query_paper_keeps_docno",
        lambda world: change(world.query_paper.document, docno="other"),
    ),
    Case("query_name_once", lambda world: again(world.query, facet=world.other_facet)),
    Case("query_facet_once", lambda world: again(world.query, name="other")),
    Case("query_sentences_once", lambda world: again(world.sentence_query, name="other")),
    Case(
        "query_sentences_are_of_its_paper",
        lambda world: again(world.sentence_query, name="other", sentence_numbers=[2, 4]),
    ),
    Case(
        "query_sentences_are_of_its_paper",
        lambda world: again(world.sentence_query, name="other", sentence_numbers=[]),
    ),
    Case(
        "query_sentences_are_of_its_paper",
        lambda world: again(world.topic_query, name="other", sentence_numbers=[1]),
    ),
    Case("query_sentences_stay", lambda world: change(world.sentence_query, sentence_numbers=[1])),
    Case("query_sentences_stay", lambda world: change(world.sentence_query, sentence_numbers=None)),
    Case(
        "query_sentences_stay",
        lambda world: change(world.sentence_query, query_paper=world.opening.query.query_paper),
    ),
    Case(
        "document_text_of_query_by_sentences",
        lambda world: change(world.query_paper.document, sentences=["One."]),
    ),
    # curation
    Case("labeller_name_once", lambda world: again(world.labeller)),
    Case("labeller_has_name", lambda world: again(world.labeller, name="")),
    Case("curation_labelrecord.document_id", lambda world: again(world.label_record)),
    Case(
        "label_record_checked_by_a_person",
        lambda world: change(world.label_record, checked_at=timezone.now()),
    ),
    Case(
        "label_record_has_a_source",
        lambda world: change(world.label_record, labeller="", lowest_confidence=None),
    ),
    Case(
        "label_record_predicted_with_confidence",
        lambda world: change(world.label_record, lowest_confidence=1.5),
    ),
    Case(
        "label_record_predicted_with_confidence",
        lambda world: change(world.label_record, lowest_confidence=None),
    ),
    Case("paper_type_key_once", lambda world: again(world.paper_type, position=9)),
    Case("paper_type_position_once", lambda world: again(world.paper_type, key="other")),
    Case("sample_name_once", lambda world: again(world.sample)),
    Case("sample_has_name", lambda world: again(world.sample, name="")),
    Case("sampled_paper_once", lambda world: again(world.sampled_paper, position=9)),
    Case(
        "sampled_paper_position_once",
        lambda world: again(world.sampled_paper, document=world.query_paper.document),
    ),
    Case("screening_once", lambda world: again(world.screening)),
    Case("screening_rating_is_1_to_5", lambda world: change(world.screening, rating=6)),
    # pooling
    Case("run_name_once", lambda world: again(world.run)),
    Case("ranking_once_per_query_paper", lambda world: again(world.ranking)),
    Case(
        "ranking_of_frozen_pool_update", lambda world: change(world.frozen_ranking, docnos=["d000"])
    ),
    Case(
        "ranking_of_frozen_pool_update",
        lambda world: change(world.ranking, run=world.frozen_ranking.run),
    ),
    Case(
        "ranking_of_frozen_pool_insert",
        lambda world: again(world.frozen_ranking, query_paper=world.query_paper),
    ),
    Case("pooling_drawnlist_never_edited", lambda world: change(world.drawn_list, documents=["d"])),
    Case("drawn_list_of_frozen_pool_delete", lambda world: delete(world.frozen_drawn_list)),
    Case(
        "query_paper_of_frozen_pool",
        lambda world: change(
            world.frozen.query_paper, document=world.document, name=world.document.docno
        ),
    ),
    Case("ranking_of_frozen_pool_delete", lambda world: delete(world.frozen_ranking)),
    Case("drawn_list_once", lambda world: again(world.drawn_list)),
    Case("build_run_once", lambda world: again(world.build_run)),
    Case("build_run_use_known", lambda world: again(world.build_run, name="other", use="guess")),
    Case("build_run_of_frozen_pool_update", lambda world: change(world.frozen_build_run, run=None)),
    Case(
        "build_run_of_frozen_pool_update",
        lambda world: change(world.build_run, build=world.frozen.build, name="other"),
    ),
    Case(
        "build_run_of_frozen_pool_insert",
        lambda world: again(world.frozen_build_run, name="other"),
    ),
    Case("build_run_of_frozen_pool_delete", lambda world: delete(world.frozen_build_run)),
    Case(
        "pool_frozen_with_its_runs",
        lambda world: change(world.draft_without_run, frozen_at=timezone.now()),
    ),
    Case("pooling_pool.query_paper_id", lambda world: again(world.draft)),
    Case("pooling_lastplan.collection_id", lambda world: again(world.last_plan)),
    Case("saved_plan_name_once", lambda world: again(world.saved_plan)),
    Case("saved_plan_has_name", lambda world: again(world.saved_plan, name="")),
    Case("query_choice_once", lambda world: again(world.query_choice)),
    Case("query_choice_stays", lambda world: change(world.query_choice, inputs="1" * 64)),
    Case("candidate_document_once", lambda world: again(world.candidate, position=9)),
    Case("candidate_position_once", lambda world: again(world.candidate, document=world.document)),
    Case("contribution_source_once", lambda world: again(world.contribution, drawn=False)),
    Case("contribution_drawn_once", lambda world: again(world.contribution, source="other")),
    Case(
        "candidate_exclusion_is_a_code_insert",
        lambda world: again(
            world.candidate, document=world.document, position=9, excluded="no text"
        ),
    ),
    Case(
        "candidate_exclusion_is_a_code_update",
        lambda world: change(world.candidate, excluded="no text"),
    ),
    Case(
        "candidate_of_frozen_pool_insert",
        lambda world: again(world.frozen_candidate, document=world.document, position=9),
    ),
    Case(
        "candidate_of_frozen_pool_update", lambda world: change(world.frozen_candidate, position=9)
    ),
    Case(
        "candidate_of_frozen_pool_update",
        lambda world: change(world.candidate, pool=world.frozen, position=9),
    ),
    Case("candidate_of_frozen_pool_delete", lambda world: delete(world.frozen_candidate)),
    Case(
        "contribution_of_frozen_pool_insert",
        lambda world: again(world.frozen_contribution, source="other", drawn=False),
    ),
    Case(
        "contribution_of_frozen_pool_update",
        lambda world: change(world.frozen_contribution, rank=9),
    ),
    Case(
        "contribution_of_frozen_pool_update",
        lambda world: change(
            world.contribution, candidate=world.frozen_candidate, source="other", drawn=False
        ),
    ),
    Case("contribution_of_frozen_pool_delete", lambda world: delete(world.frozen_contribution)),
    Case("pool_stays_frozen", lambda world: change(world.frozen, frozen_at=None)),
    Case("pool_stays_frozen", lambda world: change(world.frozen, shortfall={"cited": 1})),
    Case("pool_report_once", lambda world: again(world.pool_report)),
    Case(
        "pool_frozen_is_not_hidden",
        lambda world: again(world.draft, query_paper=None, frozen_at=timezone.now()),
    ),
    Case("pool_frozen_never_deleted", lambda world: delete(world.frozen)),
    Case(
        "document_text_in_frozen_pool",
        lambda world: change(world.frozen_candidate.document, digest="0" * 64),
    ),
    Case(
        "document_text_in_frozen_pool",
        lambda world: change(world.frozen_candidate.document, docno="other"),
    ),
    Case(
        "document_text_in_frozen_pool",
        lambda world: change(world.frozen_candidate.document, title="Other"),
    ),
    Case(
        "document_text_in_frozen_pool",
        lambda world: change(world.frozen_candidate.document, sentences=["Other."]),
    ),
    Case(
        "document_text_in_frozen_pool",
        lambda world: change(world.frozen_candidate.document, labels=["method"]),
    ),
    Case(
        "document_text_in_frozen_pool",
        lambda world: change(world.frozen.query_paper.document, digest="0" * 64),
    ),
    Case("topic_text_in_frozen_pool", lambda world: change(world.frozen_topic, title="Other")),
    Case("topic_text_in_frozen_pool", lambda world: change(world.frozen_topic, narrative="Other")),
    Case("topic_text_in_frozen_pool", lambda world: change(world.frozen_topic, sentences=["O."])),
    Case(
        "topic_text_in_frozen_pool",
        lambda world: change(world.frozen_topic, narrative_is_shown=False),
    ),
    Case(
        "query_paper_of_frozen_pool",
        lambda world: change(
            world.frozen_topic.query_paper,
            topic=None,
            document=world.document,
            name=world.document.docno,
        ),
    ),
    # annotation
    Case("guideline_version_once", lambda world: again(world.guideline)),
    Case("annotation_guideline_never_edited", lambda world: change(world.guideline, grades=[])),
    Case("guideline_never_deleted_once_opened", lambda world: delete(world.guideline)),
    Case("annotation_opening.query_id", lambda world: again(world.opening)),
    Case(
        "seat_number_once",
        lambda world: again(world.opening.seats.get(number=1), annotator=world.third),
    ),
    Case(
        "seat_annotator_once",
        lambda world: change(world.opening.seats.get(number=2), annotator=world.first),
    ),
    Case(
        "seat_number_is_1_or_2",
        lambda world: again(world.opening.seats.get(number=2), number=3, annotator=world.third),
    ),
    Case(
        "seat_number_is_1_or_2",
        lambda world: again(world.opening.seats.get(number=2), number=0, annotator=world.third),
    ),
    Case(
        "seat_given_to_an_annotator",
        lambda world: again(
            world.opening.seats.get(number=2),
            opening=world.bare_opening,
            annotator=world.stranger,
        ),
    ),
    Case(
        "seat_handed_to_an_annotator",
        lambda world: change(world.opening.seats.get(number=2), annotator=world.stranger),
    ),
    Case(
        "seat_not_of_an_excluded",
        lambda world: again(
            world.opening.seats.get(number=2),
            opening=world.bare_opening,
            annotator=world.exclusion.annotator,
        ),
    ),
    Case(
        "seat_not_handed_to_an_excluded",
        lambda world: change(
            world.opening.seats.get(number=2),
            annotator=world.exclusion.annotator,
        ),
    ),
    Case(
        "exclusion_of_no_seat_holder",
        lambda world: again(
            world.exclusion, query_paper=world.opening.query.query_paper, annotator=world.first
        ),
    ),
    Case("exclusion_once", lambda world: again(world.exclusion)),
    Case("pair_candidate_once", lambda world: again(world.pair, token="other")),
    Case("pair_token_once", lambda world: again(world.pair, candidate=world.candidate)),
    Case("slot_count_once", lambda world: again(SlotCount.objects.order_by("pk").first())),
    Case(
        "due_count_once",
        lambda world: again(DueCount.objects.create(query=world.query, difference=9, due=1)),
    ),
    Case("slot_number_once", lambda world: again(world.open_slots[0], annotator=world.stranger)),
    Case("slot_annotator_once", lambda world: change(world.open_slots[1], annotator=world.first)),
    Case(
        "slot_number_is_1_or_2",
        lambda world: again(world.open_slots[0], number=3, annotator=world.stranger),
    ),
    Case(
        "slot_number_is_1_or_2",
        lambda world: again(world.open_slots[0], number=0, annotator=world.stranger),
    ),
    Case(
        "annotation_slot.judgment_id",
        lambda world: again(world.slots[0], pair=world.bare_pair),
        behind=("slot_begins_empty",),
    ),
    Case(
        "slot_begins_empty",
        lambda world: again(world.slots[0], pair=world.bare_pair, number=2),
    ),
    Case("slot_stays_in_its_pair", lambda world: change(world.open_slots[0], pair=world.bare_pair)),
    Case("slot_stays_in_its_pair", lambda world: change(world.slots[0], number=2)),
    Case("slot_shows_its_latest_judgment", shown_after_a_later_one),
    Case("pair_never_edited", lambda world: change(world.pair, candidate=world.candidate)),
    Case("pair_never_edited", lambda world: change(world.pair, query=world.query)),
    Case(
        "opening_never_edited",
        lambda world: change(world.opening, guideline=later_guideline(world)),
    ),
    Case("query_stays_once_opened", lambda world: change(world.opening.query, name="other")),
    Case(
        "query_stays_once_opened",
        lambda world: change(world.opening.query, facet=world.other_facet),
    ),
    Case("facet_stays_once_opened", lambda world: change(world.facet, labels=["result"])),
    Case("facet_stays_once_opened", lambda world: change(world.facet, key="other")),
    Case(
        "facet_never_added_once_opened",
        lambda world: again(world.facet, key="other", position=9),
    ),
    Case("facet_never_deleted_once_opened", lambda world: delete(world.other_facet)),
    Case(
        "facet_whole_stands_alone",
        lambda world: again(world.facet, key="", labels=[], position=9),
        behind=("facet_never_added_once_opened",),
    ),
    Case("facet_whole_stays_alone", lambda world: change(world.other_facet, key="", labels=[])),
    Case(
        "facet_whole_begins_without_labels",
        lambda world: again(world.facet, key="", position=9),
        behind=("facet_never_added_once_opened", "facet_whole_stands_alone"),
    ),
    Case(
        "facet_whole_stays_without_labels",
        lambda world: change(world.other_facet, key=""),
        behind=("facet_whole_stays_alone",),
    ),
    Case(
        "slot_judged_keeps_its_annotator",
        lambda world: change(world.slots[0], annotator=world.stranger),
    ),
    Case("slot_shows_its_own_judgment", lambda world: change(world.slots[0], judgment=None)),
    Case(
        "slot_shows_its_own_judgment",
        lambda world: change(world.open_slots[0], judgment=world.judgments[0]),
    ),
    Case("slot_judged_never_deleted", lambda world: delete(world.slots[0])),
    Case(
        "judgment_sequence_once",
        lambda world: judged_again(world, sequence=world.judgments[0].sequence),
    ),
    Case("annotation_judgment.key", lambda world: judged_again(world, key=world.judgments[0].key)),
    Case("judgment_grade_or_reason", lambda world: judged_again(world, grade=None)),
    Case(
        "judgment_grade_or_reason",
        lambda world: judged_again(world, grade=5),
        behind=("judgment_grade_on_the_scale",),
    ),
    Case("judgment_grade_on_the_scale", lambda world: judged_again(world, grade=4)),
    Case("judgment_grade_or_reason", lambda world: judged_again(world, grade=1, reason="garbled")),
    Case("judgment_grade_or_reason", lambda world: judged_again(world, grade=None, reason="why")),
    Case(
        "judgment_by_the_slots_annotator",
        lambda world: judged_again(world, annotator=world.second),
    ),
    Case("annotation_judgment_never_edited", lambda world: change(world.judgments[0], note="?")),
    Case("annotation_judgment_never_deleted", lambda world: delete(world.judgments[0])),
    # adjudication
    Case(
        "decision_sequence_once",
        lambda world: decided_again(world, sequence=world.decision.sequence),
    ),
    Case("adjudication_decision.key", lambda world: decided_again(world, key=world.decision.key)),
    Case(
        "decision_grade_or_reason",
        lambda world: decided_again(world, grade=None),
        behind=("decision_reason_is_a_code",),
    ),
    Case(
        "decision_reason_is_a_code",
        lambda world: decided_again(world, grade=None, reason="Garbled"),
    ),
    Case(
        "decision_grade_or_reason",
        lambda world: decided_again(world, grade=5),
        behind=("decision_grade_on_the_scale",),
    ),
    Case("decision_grade_on_the_scale", lambda world: decided_again(world, grade=4)),
    Case("decision_grade_or_reason", lambda world: decided_again(world, reason="Garbled")),
    Case(
        "decision_reason_is_a_code",
        lambda world: decided_again(world, grade=None, reason="Two papers in one"),
    ),
    Case(
        "decision_saw_two_judgments",
        lambda world: decided_again(world, first=world.judgments[0], second=world.judgments[0]),
        behind=("decision_on_standing_judgments",),
    ),
    Case(
        "decision_on_standing_judgments",
        lambda world: decided_again(world, first=world.other_judgments[0]),
    ),
    Case(
        "decision_on_standing_judgments",
        lambda world: decided_again(world, second=world.other_judgments[1]),
    ),
    Case(
        "decision_on_standing_judgments",
        lambda world: decided_again(world, first=world.judgments[1], second=world.judgments[0]),
    ),
    Case("decision_on_standing_judgments", decided_after_a_revision),
    Case("decision_not_by_a_judge", lambda world: decided_again(world, adjudicator=world.first)),
    Case("decision_not_by_a_judge", lambda world: decided_again(world, adjudicator=world.second)),
    Case("decision_not_by_a_judge", decided_by_a_judge_from_before),
    Case(
        "decision_after_the_last_referral",
        lambda world: (referred(world), decided_again(world, referral_count=0)),
    ),
    Case("referral_recipient_known", lambda world: referred(world, "nobody")),
    Case("referral_has_reason", lambda world: referred(world, reason="")),
    Case(
        "referral_of_standing_judgments",
        lambda world: referred(world, second=world.other_judgments[1]),
    ),
    Case(
        "referral_of_standing_judgments",
        lambda world: (referred(world, "judges"), referred(world)),
    ),
    Case("referral_of_a_pair_in_a_study", referred_in_a_study),
    Case("referral_never_edited", lambda world: change(referred(world), reason="Other.")),
    Case("referral_never_deleted", lambda world: delete(referred(world))),
    Case("slot_shows_no_judgment_again", shown_from_before),
    Case("slot_of_a_new_judge", handed_to_the_other_judge),
    Case(
        "slot_of_a_new_judge", lambda world: opened_again_for(world, 1, world.decision.adjudicator)
    ),
    Case("adjudication_decision_never_edited", lambda world: change(world.decision, grade=1)),
    Case("adjudication_decision_never_deleted", lambda world: delete(world.decision)),
    # studies
    Case("corpus_fulltext.document_id", lambda world: again(world.full_text)),
    Case(
        "full_text_has_sections_or_link",
        lambda world: again(world.full_text, document=world.document, sections=[]),
    ),
    Case(
        "full_text_link_is_https",
        lambda world: again(world.full_text, document=world.document, pdf_url="http://a.org"),
    ),
    Case("full_text_stays_in_study", lambda world: change(world.full_text, sections=["other"])),
    Case("full_text_in_study_never_deleted", lambda world: delete(world.full_text)),
    Case("study_name_once", lambda world: again(world.study)),
    Case("study_has_name", lambda world: again(world.study, name="")),
    Case(
        "study_rater_only_annotates",
        lambda world: again(world.study, name="other", rater=world.stranger),
    ),
    Case("study_rater_saw_no_grades", studied_by_an_adjudicator),
    Case("study_stays_as_made", lambda world: change(world.study, rater=world.first)),
    Case("study_stays_ended", lambda world: change(world.ended_study, ended_at=None)),
    Case("system_name_once", lambda world: again(world.system)),
    Case("system_kind_known", lambda world: change(world.system, kind="guess")),
    Case("system_ranking_once_per_query", lambda world: again(world.system_ranking)),
    Case("scores_once_per_source_and_profile", lambda world: again(world.scores)),
    Case("scoring_fold.query_id", lambda world: again(world.fold)),
    Case("fold_number_is_not_too_high", lambda world: change(world.fold, number=21)),
    Case("scoring_foldplan.collection_id", lambda world: again(world.fold_plan)),
    Case(
        "folds_are_imported_or_made", lambda world: change(world.fold_plan, imported_from="f.json")
    ),
    Case("made_folds_are_not_too_many", lambda world: change(world.fold_plan, made=21)),
    Case("study_pair_once", lambda world: studied_again(world, pair=world.study_pair.pair)),
    Case(
        "study_pair_position_once",
        lambda world: studied_again(world, position=1),
        behind=("study_pair_has_full_texts",),
    ),
    Case(
        "study_pair_token_once",
        lambda world: studied_again(world, token="token"),
        behind=("study_pair_has_full_texts",),
    ),
    Case(
        "study_pair_label_is_a_grade",
        lambda world: studied_again(world, label=5),
        behind=("study_pair_has_full_texts",),
    ),
    Case("study_pair_never_edited", lambda world: change(world.study_pair, label=1)),
    Case("study_pair_of_its_collection", studied_elsewhere),
    Case(
        "study_pair_judged_twice",
        lambda world: studied_again(world, pair=world.bare_pair),
        behind=("study_pair_has_full_texts",),
    ),
    Case("study_pair_has_full_texts", studied_again),
    Case("study_rating_sequence_once", lambda world: rated_again(world, sequence=1)),
    Case("studies_studyrating.key", lambda world: rated_again(world, key=world.study_rating.key)),
    Case("study_rating_grade_or_reason", lambda world: rated_again(world, grade=None)),
    Case("study_rating_grade_on_the_scale", lambda world: rated_again(world, grade=4)),
    Case(
        "study_rating_before_the_end",
        lambda world: rated_again(world, study_pair=world.ended_pair),
    ),
    Case("study_rating_rater_saw_no_grades", rated_by_an_adjudicator),
    Case("study_rating_never_edited", lambda world: change(world.study_rating, note="?")),
    Case("study_rating_never_deleted", lambda world: delete(world.study_rating)),
    Case("error_tag_type_once_per_system_and_pair", lambda world: again(world.error_tag)),
    Case("error_tag_kind_known", lambda world: change(world.error_tag, kind="typo")),
    Case("error_tag_has_type_and_system", lambda world: change(world.error_tag, type="")),
    Case("error_tag_has_type_and_system", lambda world: change(world.error_tag, system="")),
    Case("error_tag_rank_from_one", lambda world: change(world.error_tag, rank=0)),
    Case("error_tag_grade_known", lambda world: change(world.error_tag, grade=5)),
    Case("judgment_never_by_an_admin", judged_by_an_admin),
    Case("judgment_before_public_version_stays", judged_again_after_a_public_version),
    Case("decision_of_public_version_stays", decided_again_after_a_public_version),
    Case(
        "judgment_before_full_text",
        lambda world: again(
            world.other_judgments[0], sequence=9, key=uuid.uuid4(), annotator=world.third
        ),
        behind=("judgment_by_the_slots_annotator",),
    ),
    # agreement
    Case("report_once_per_state", lambda world: again(world.report)),
    Case("report_missing_known", lambda world: again(world.report, missing="guess")),
    Case("agreement_report_never_edited", lambda world: change(world.report, payload={"n": 1})),
    Case("agreement_report_never_deleted", lambda world: delete(world.report)),
    # reports
    Case("stored_report_once", lambda world: again(world.stored_report)),
    # comparisons of labels
    Case("shadow_judge_name_once", lambda world: again(world.shadow_judge)),
    Case("shadow_judge_has_name", lambda world: again(world.shadow_judge, name="")),
    Case(
        "shadow_judge_stays_as_imported",
        lambda world: change(world.shadow_judge, sha256="1" * 64),
    ),
    Case("shadow_label_once_per_pair", lambda world: again(world.shadow_label)),
    Case(
        "shadow_label_is_a_grade",
        lambda world: again(world.shadow_label, pair=world.pair, grade=9),
        behind=("shadow_label_on_the_scale",),
    ),
    Case(
        "shadow_label_on_the_scale",
        lambda world: again(world.shadow_label, pair=world.pair, grade=4),
    ),
    Case("shadow_label_of_its_collection", labelled_elsewhere),
    Case("shadow_label_never_edited", lambda world: change(world.shadow_label, grade=1)),
    # release
    Case("release_version_once", lambda world: again(world.release)),
    Case("release_has_version", lambda world: again(world.release, version="")),
    Case("release_release_never_edited", lambda world: change(world.release, size=2)),
    Case("release_release_never_deleted", lambda world: delete(world.release)),
    Case("datasheet_question_answered_once", lambda world: again(world.datasheet_answer)),
    Case(
        "datasheet_question_known",
        lambda world: again(world.datasheet_answer, question="weather"),
    ),
    Case(
        "datasheet_answer_has_text",
        lambda world: again(world.datasheet_answer, question="funding", text=""),
    ),
    Case("release_profilethreshold.collection_id", lambda world: again(world.profile_threshold)),
    Case(
        "profile_threshold_hides_one_person",
        lambda world: change(world.profile_threshold, least_people=1),
    ),
    Case("annotator_profile_once_per_person", lambda world: again(world.annotator_profile)),
    Case(
        "annotator_profile_values_known",
        lambda world: again(world.annotator_profile, user=world.first, degree="Dr. Ann"),
    ),
    Case(
        "annotator_profile_has_a_value",
        lambda world: again(world.annotator_profile, user=world.first, degree=""),
    ),
    Case("release_exception_once", lambda world: again(world.exception)),
    Case(
        "release_exception_has_reason",
        lambda world: again(world.exception, check_name="ids", reason=""),
    ),
    Case("release_exception_never_edited", lambda world: change(world.exception, reason="No.")),
    Case("release_exception_never_deleted", lambda world: delete(world.exception)),
    Case("public_period_current_once", lambda world: again(world.public)),
    Case(
        "public_period_ends_after_it_begins",
        lambda world: change(world.public, ended_at=timezone.now() - timedelta(days=1)),
    ),
    Case(
        "public_period_ends_after_it_begins",
        lambda world: change(world.public, ended_by=world.first),
    ),
    Case("public_period_keeps_its_beginning", lambda world: change(world.public, page={"n": 1})),
    Case("public_period_ends_once", lambda world: change(world.past_public, ended_at=None)),
    Case("public_period_never_deleted", lambda world: delete(world.public)),
    Case(
        "release_import_days_in_order",
        lambda world: change(world.release_import, first_day="2024-01-02", last_day="2024-01-01"),
    ),
    Case(
        "release_import_days_in_order",
        lambda world: change(world.release_import, first_day="2024-01-02"),
    ),
    Case("release_releaseimport.collection_id", lambda world: again(world.release_import)),
    Case("erratum_number_once", lambda world: again(world.erratum)),
    Case("erratum_names_query_and_problem", lambda world: again(world.erratum, number=3, query="")),
    Case(
        "erratum_names_query_and_problem", lambda world: again(world.erratum, number=3, problem="")
    ),
    Case("erratum_settled_with_answer", lambda world: change(world.erratum, state="accepted")),
    Case("erratum_settled_with_answer", lambda world: change(world.erratum, answer="Yes.")),
    Case(
        "erratum_settled_with_answer",
        lambda world: again(world.settled_erratum, number=3, answer=""),
    ),
    Case("erratum_keeps_its_report", lambda world: change(world.erratum, problem="Other.")),
    Case("erratum_keeps_its_report", lambda world: change(world.erratum, network="a")),
    Case("erratum_settled_once", lambda world: change(world.settled_erratum, answer="Yes.")),
    Case("erratum_never_deleted", lambda world: delete(world.erratum)),
]


@pytest.mark.parametrize("case", CASES, ids=[case.rule for case in CASES])
def test_a_row_that_breaks_the_rule_is_refused_by_its_name(world, case):
    assert rule_that_refuses(world, case) == case.rule


def test_every_rule_has_a_case():
    with_cases = {case.rule for case in CASES}
    refusing = {name for name in triggers() if not name.startswith(("count_", "mark_", "drop_"))}
    rules = {*named_constraints(), *(unique.rule for unique in unique_rules()), *refusing}

    assert sorted(rules - with_cases) == [], "add a case for each of these rules to CASES"
    assert sorted(with_cases - rules) == [], "these rules are gone; remove their cases"


def test_the_columns_of_a_unique_rule_name_it():
    """SQLite tells the columns of a broken unique rule: they must belong to no other rule."""
    columns = [unique.columns for unique in unique_rules()]

    assert [unique for unique in unique_rules() if columns.count(unique.columns) > 1] == []


def rule_that_refuses(world: World, case: Case) -> str:
    with transaction.atomic():
        for trigger in case.behind:
            drop_trigger(trigger)
        with pytest.raises(IntegrityError) as refused, transaction.atomic():
            case.broken_by(world)
        transaction.set_rollback(True)
    return broken_rule(refused.value)


def broken_rule(error: IntegrityError) -> str:
    """The rule that the database names. SQLite names the columns of a unique rule instead."""
    if connection.vendor == "postgresql":
        diagnostics = error.__cause__.diag
        name = diagnostics.constraint_name or diagnostics.message_primary
        return next((unique.rule for unique in unique_rules() if unique.index == name), name)
    message = str(error)
    if message.startswith("UNIQUE constraint failed: "):
        columns = frozenset(message.removeprefix("UNIQUE constraint failed: ").split(", "))
        return next(unique.rule for unique in unique_rules() if unique.columns == columns)
    return message.removeprefix("CHECK constraint failed: ")


def own_models() -> list[type[models.Model]]:
    """The models of the apps in this repository, without proxies, which have no table."""
    return [
        model
        for config in apps.get_app_configs()
        if Path(config.path).parent == settings.BASE_DIR
        for model in config.get_models()
        if not model._meta.proxy
    ]


def named_constraints() -> set[str]:
    return {constraint.name for model in own_models() for constraint in model._meta.constraints}


class Unique(NamedTuple):
    """A unique index: its rule's name in `CASES`, its columns as `table.column`, its own name."""

    rule: str
    columns: frozenset[str]
    index: str


def unique_rules() -> list[Unique]:
    """Every unique index of the database except those of primary keys."""
    return [
        Unique(rule_of(model, columns), columns, index)
        for model in own_models()
        for index, columns in unique_indexes(model._meta.db_table)
    ]


def rule_of(model: type[models.Model], columns: frozenset[str]) -> str:
    table = model._meta.db_table
    for constraint in model._meta.constraints:
        fields = getattr(constraint, "fields", ())
        if columns == {f"{table}.{model._meta.get_field(name).column}" for name in fields}:
            return constraint.name
    return ", ".join(sorted(columns))


def unique_indexes(table: str) -> Iterator[tuple[str, frozenset[str]]]:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT c.relname, a.attname FROM pg_index i "
                "JOIN pg_class c ON c.oid = i.indexrelid "
                "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey) "
                "WHERE i.indrelid = %s::regclass AND i.indisunique AND NOT i.indisprimary",
                [table],
            )
        else:
            cursor.execute(
                "SELECT i.name, c.name FROM pragma_index_list(%s) i, pragma_index_info(i.name) c "
                "WHERE i.\"unique\" AND i.origin <> 'pk'",
                [table],
            )
        columns = defaultdict(set)
        for index, column in cursor.fetchall():
            columns[index].add(f"{table}.{column}")
    yield from ((index, frozenset(names)) for index, names in columns.items())


def triggers() -> dict[str, str]:
    """Every trigger that the migrations made, and its table."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT t.tgname, c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
                "WHERE NOT t.tgisinternal"
            )
        else:
            cursor.execute("SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'")
        return dict(cursor.fetchall())


def drop_trigger(name: str) -> None:
    table = triggers()[name]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # PostgreSQL alters no table whose deferred foreign keys are still to be checked.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(f"DROP TRIGGER {name} ON {table}")
        else:
            cursor.execute(f"DROP TRIGGER {name}")
