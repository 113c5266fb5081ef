"""One row of everything, and the ways to write a row past the services."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any, NamedTuple

from django.db import connection, models
from django.utils import timezone

from accounts.models import Collection, Membership, Role, User
from adjudication.models import Decision, Referral
from annotation.models import (
    Exclusion,
    Guideline,
    Judgment,
    Opening,
    Pair,
    Repeat,
    RepeatJudgment,
    Slot,
)
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
from evaluation.models import Asking, ErrorTag, ModelAnswer, ShadowJudge, ShadowLabel
from jobs.models import Job, State
from pooling.models import (
    BuildRun,
    Candidate,
    Contribution,
    DrawnList,
    LastPlan,
    Pool,
    PoolRound,
    RoundList,
    SavedPlan,
)
from practice.models import (
    PracticeGuideline,
    PracticeJudgment,
    PracticeKind,
    PracticeMember,
    PracticePair,
    PracticeSet,
)
from practice.services import NewPair, add_members, close_set, make_set
from release.models import (
    AnnotatorProfile,
    DatasheetAnswer,
    Erratum,
    ProfileThreshold,
    PublicPeriod,
    Release,
    ReleaseException,
    ReleaseImport,
    SampledLabel,
)
from reports.models import StoredReport
from retrieval.models import Ranking, Run
from scoring.models import (
    Fold,
    FoldPlan,
    PublishedLabels,
    PublishedLabelSet,
    Scores,
    System,
    SystemKind,
    SystemRanking,
)
from studies.models import Study, StudyPair, StudyRating
from tests.support.asking_scenes import an_answer, an_asking
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
from tests.support.label_samples import a_row_of_a_sample
from tests.support.old_reports import a_stored_report
from tests.support.practice_scenes import a_pilot, practise
from tests.support.repeats import answer_repeat
from tests.support.screened_samples import a_choice
from tests.support.sittings import judge_both, settle
from tests.support.study_scenes import attach_full_texts, rate


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
    pool_round: PoolRound  # frozen
    round_list: RoundList  # of that round
    pair: Pair  # decided
    slots: tuple[Slot, Slot]  # of that pair
    judgments: tuple[Judgment, Judgment]  # in those slots
    repeat: Repeat  # of the first of those slots
    repeat_judgment: RepeatJudgment
    open_repeat: Repeat  # of the first of the open slots
    other_judgments: tuple[Judgment, Judgment]  # of another decided pair
    decision: Decision
    open_slots: tuple[Slot, Slot]  # of a pair without judgments
    bare_pair: Pair  # without slots
    last_plan: LastPlan
    saved_plan: SavedPlan
    query_choice: QueryChoice
    job: Job
    release: Release
    public: PublicPeriod  # of that release
    exception: ReleaseException  # of that release
    past_public: PublicPeriod
    erratum: Erratum  # open, of that release
    settled_erratum: Erratum
    release_import: ReleaseImport
    sampled_label: SampledLabel  # in a collection of its own, of labels of this one
    full_text: FullText  # of a document in the study
    study: Study  # its rater is `third`
    study_pair: StudyPair
    study_rating: StudyRating
    ended_study: Study
    pilot: PracticeSet  # open, with one pair, which one of its two members has judged
    practice_guideline: PracticeGuideline
    practice_pair: PracticePair
    practice_member: PracticeMember  # who has judged the pair
    practice_judgment: PracticeJudgment
    closed_judgment: PracticeJudgment  # in a closed round
    new_pair: PracticePair  # of a round without members
    training_pair: PracticePair  # of a training set without members
    finished: PracticeJudgment  # by a member who has finished a training set
    shadow_judge: ShadowJudge
    shadow_label: ShadowLabel
    asking: Asking
    model_answer: ModelAnswer
    stored_report: StoredReport
    ended_pair: StudyPair
    system: System
    system_ranking: SystemRanking
    scores: Scores
    fold: Fold
    fold_plan: FoldPlan
    published_set: PublishedLabelSet
    published_labels: PublishedLabels
    document_import: DocumentImport
    import_step: ImportStep  # 0 of that import, which read 3 documents
    error_tag: ErrorTag
    datasheet_answer: DatasheetAnswer
    profile_threshold: ProfileThreshold
    annotator_profile: AnnotatorProfile


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
    open_slots = slots_of_pair(Slot.objects.unjudged().first().pair)
    repeat, open_repeat = (
        slot.repeats.create(
            query=slot.pair.query, annotator=slot.annotator, token=f"again{slot.pk}"
        )
        for slot in (slots[0], open_slots[0])
    )
    repeat_judgment = answer_repeat(repeat, 1)
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
    practice = practice_rows(collection)
    shadow_judge = collection.shadow_judges.create(
        name="model", filename="model.txt", labels_count=1, sha256="0" * 64
    )
    asking = an_asking(collection)
    document = DocumentFactory(collection=collection)
    sampled_paper = a_sample(collection).papers.create(document=document, position=1)
    paper_type = collection.paper_types.create(key="survey", name="Survey", position=1)
    round_list = a_round_list(collection)
    sampled = a_row_of_a_sample(collection)
    return World(
        **practice,
        system=system,
        system_ranking=system.rankings.create(query=query, docnos=[], scores=[]),
        scores=system.scores.create(profile="trec", state="0" * 64, summary=[], values={}),
        fold=Fold.objects.create(query=query, number=1),
        fold_plan=FoldPlan.objects.create(collection=query.collection, made=2),
        published_set=PublishedLabelSet.objects.create(
            collection=query.collection, benchmark="mdcr", origin="citations", files={}
        ),
        published_labels=PublishedLabels.objects.create(query=query, grades={"d1": 1}),
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
        pool_round=round_list.pool_round,
        round_list=round_list,
        pair=decided.pair,
        slots=slots,
        judgments=(slots[0].judgment, slots[1].judgment),
        other_judgments=tuple(slot.judgment for slot in slots_of_pair(other.pair)),
        decision=settle(decided, User.objects.get(username="adju"), 2),
        open_slots=open_slots,
        repeat=Repeat.objects.get(pk=repeat.pk),
        repeat_judgment=repeat_judgment,
        open_repeat=open_repeat,
        bare_pair=Pair.objects.create(query=query, candidate=candidate, token="bare"),
        last_plan=LastPlan.objects.create(collection=collection, fields={}),
        saved_plan=collection.saved_plans.create(name="Deep", fields={}),
        query_choice=a_choice(collection),
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
        asking=asking,
        model_answer=an_answer(asking, other.pair, grade=3),
        stored_report=a_stored_report(collection, "kind", digest="0" * 64),
        document_import=document_import,
        import_step=document_import.steps.create(position=0, name="read", removed=0, remaining=3),
        error_tag=ErrorTag.objects.create(
            system="sys", pair=decided.pair, kind="miss", type="context", grade=2
        ),
        sampled_label=sampled.strata.get().sampled_labels.get(),
        datasheet_answer=collection.datasheet_answers.create(question="pay", text="Unpaid."),
        profile_threshold=ProfileThreshold.objects.create(collection=collection),
        annotator_profile=collection.annotator_profiles.create(
            user=User.objects.get(username="adju"), degree="master"
        ),
    )


def a_round_list(collection: Collection) -> RoundList:
    """A list of a frozen pool round."""
    pool_round = collection.pool_rounds.create(
        number=2, reason="Deeper.", choice="all-unjudged", depth=10, seed="seed", manifest={}
    )
    round_list = pool_round.lists.create(
        run="late", query_paper="d000", topic="d000", docnos=[], scores=[]
    )
    change(pool_round, frozen_at=timezone.now())
    return round_list


def practice_rows(collection: Collection) -> dict[str, Any]:
    """Practice of two people who judge nothing else."""
    people = [member(collection, Role.ANNOTATOR, name) for name in ("ann5", "ann6")]
    query = a_query(collection, size=1)
    pilot = a_pilot(collection, people=people, named=[query.name])
    pair = pilot.pairs.get()
    judgment = practise(pair, people[0], 1)
    closed = a_pilot(collection, people=people, named=[query.name])
    closed_judgment = practise(closed.pairs.get(), people[0], 1)
    close_set(practice_set=closed)
    training = a_training_set(collection, query, people[:1])
    finished = practise(training.pairs.get(), people[0], 1)
    training.members.update(finished_at=timezone.now())
    return {
        "pilot": pilot,
        "practice_guideline": pilot.guidelines.get(),
        "practice_pair": pair,
        "practice_member": pilot.members.get(annotator=people[0]),
        "practice_judgment": judgment,
        "closed_judgment": closed_judgment,
        "new_pair": make_set(
            collection=collection,
            kind=PracticeKind.PILOT,
            pairs=[NewPair(query, pair.document)],
            parameters={},
            created_by=None,
        ).pairs.get(),
        "training_pair": a_training_set(collection, query, []).pairs.get(),
        "finished": finished,
    }


def a_training_set(collection: Collection, query: Query, people: list[User]) -> PracticeSet:
    candidate = query.query_paper.pool.candidates.get()
    training = make_set(
        collection=collection,
        kind=PracticeKind.TRAINING,
        pairs=[NewPair(query, candidate.document, gold=2, explanation="Why")],
        parameters={},
        created_by=None,
    )
    add_members(practice_set=training, annotators=people)
    return training


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


def change(row: models.Model, **changes: Any) -> None:
    type(row)._base_manager.filter(pk=row.pk).update(**changes)


def delete(row: models.Model) -> None:
    type(row)._base_manager.filter(pk=row.pk)._raw_delete(connection.alias)


class Case(NamedTuple):
    """A way to break a rule. `behind` are triggers that would refuse the row first."""

    rule: str
    broken_by: Callable[[World], None]
    behind: tuple[str, ...] = ()


def elsewhere(row: models.Model) -> None:
    """Insert a copy of the row into another collection."""
    again(row, collection=Collection.objects.create(slug="elsewhere", name="Elsewhere"))


def judged_again(world: World, **changes: Any) -> None:
    again(world.judgments[0], **{"sequence": 9, "key": uuid.uuid4()} | changes)


def decided_again(world: World, **changes: Any) -> None:
    again(world.decision, **{"sequence": 9, "key": uuid.uuid4()} | changes)


def referred(world: World, recipient: str = "adjudicator", **changes: Any) -> Referral:
    first, second = world.judgments
    row = {"pair": world.pair, "recipient": recipient, "first": first, "second": second}
    return Referral.objects.create(**row | {"reason": "Wrong."} | changes)


def given(world: World, role: str, user: User) -> Any:
    """A role that the person had before."""
    return world.collection.given_roles.create(user=user, role=role)
