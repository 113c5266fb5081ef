"""Pairs of services that decide about a collection, in both orders, with real transactions.

Every service is tried behind each of `CHANGERS`, which together change every kind of fact that a
service reads. Behind any other service it would wait for the same lock and read the same facts.

See docs/adr/0006-one-lock-order.md. On SQLite a transaction begins with the only write lock, so a
second service cannot begin before the first commits; there only long services can be overtaken.
"""

from __future__ import annotations

import io
import itertools
import json
import uuid
import zipfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import copy, deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from accounts.locking import CollectionArchived
from accounts.models import Collection, Role, User
from accounts.services import add_membership, take_role
from adjudication.errors import DecidedMeanwhile, NoSuchCase
from adjudication.judgment_import import ImportOptions, import_judgments
from adjudication.models import Case, Decision, Recipient
from adjudication.services import Ruling
from agreement.services import AgreementReport
from annotation.guidelines.changes import apply_guideline
from annotation.guidelines.collection_setup import change_facets_and_scale
from annotation.guidelines.defaults import default_guidelines
from annotation.guidelines.readings import record_reading
from annotation.models import Judgment, Opening, PairCount, Seat, Slot, SlotCount
from annotation.services import (
    RevisedMeanwhile,
    open_query,
    presentation_of,
    reassign_seat,
    write_guideline,
)
from annotation.team import exclude, open_new_pairs, rebalance_seats
from corpus.documents.full_texts import import_full_texts
from corpus.documents.importing import import_documents
from corpus.facets import DEFAULT_FACETS
from corpus.models import Document
from corpus.services import create_query
from corpus.state import corpus_digest
from corpus.topics.importing import import_topics
from corpus.topics.queries import add_sentence_query, remove_query
from curation.choice.plan import ChoicePlan
from curation.choice.services import apply_choice, compute_choice
from curation.labels.prediction import predict_labels
from curation.samples.paper_types import TypePlan, change_paper_types
from curation.samples.services import SamplePlan, draw_sample
from dashboard.people.owners import end_judging
from dashboard.services import change_settings, remove_role
from dashboard.settings.archiving import archive_collection
from dashboard.settings.export import export_collection
from evaluation.error_browser.services import tag_error
from evaluation.label_effects.services import LabelEffectsReport
from evaluation.shadow_judges.services import (
    Description,
    delete_shadow_judge,
    import_shadow_judge,
    name_family,
)
from jobs.context import DirectRun
from pooling.checks import PoolChecks
from pooling.models import BuildRun, Pool, PoolBuild
from pooling.rounds.lists import stored_runs
from pooling.rounds.plans import RoundPlan
from pooling.rounds.services import add_round
from pooling.services import PoolPlan, build_pools, freeze_pools, save_plan
from practice.pilots import start_pilot
from practice.services import close_set
from release.datasheets.services import (
    change_threshold,
    delete_profile,
    save_answers,
    save_profile,
)
from release.errata.services import report_erratum, settle_erratum
from release.publicity import make_private, make_public
from release.services import publish_release
from reports.services import compute_report, stored_report
from retrieval.formats import RankedList, Scored
from retrieval.models import Run
from retrieval.services import remove_run
from retrieval.services.runs import RunReport, lists_digest, store_run
from scoring.folds import Folds
from scoring.models import SystemKind
from scoring.services import evaluate, save_folds
from scoring.systems.services import delete_system, save_system
from studies.models import StudyRating
from studies.services import create_study
from tests.support.counting import kept_counts, recounted
from tests.support.factories import (
    DocumentFactory,
    a_collection,
    a_query,
    annotators,
    member,
)
from tests.support.held_transactions import Thread, held_open, outcome
from tests.support.kept_rows import kept_rows
from tests.support.labels import checked
from tests.support.pooling_scenes import a_listed_run, built
from tests.support.practice_scenes import practise
from tests.support.releases import EVERY_EXCEPTION
from tests.support.rounds import late, new_documents
from tests.support.running import wait_until
from tests.support.screened_samples import screen
from tests.support.sittings import decide_case, digest_of, judge, judge_both, refer, slots_of
from tests.support.study_scenes import a_labelled_query, a_study, rate

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

DOCNOS = ["d1", "d2", "d3", "d4"]
MANY = itertools.count(1)
Service = Callable[..., None]
Pair = tuple[Service, Service]


class Scene:
    """A collection in the middle of its work.

    `open_method` is open and partly judged; one of its pairs is a case. `draft_method` has a draft
    pool drawn from the runs `up` and `down`. ann3 judges nothing yet, `new` has no role.
    """

    def __init__(self, folder) -> None:
        self.folder = folder
        number = next(MANY)
        self.collection = collection = a_collection(f"scene{number}")
        for name in ("ann3", "spare"):
            member(collection, Role.ANNOTATOR, name)
        member(collection, Role.ADMIN, "admin2")
        self.newcomer = User.objects.filter(username="new").first() or User.objects.create(
            username="new"
        )
        for docno in [*DOCNOS, "open", "draft"]:
            DocumentFactory(collection=collection, docno=docno)
        opened = create_query(collection=collection, docno="open", facet_key="method")
        a_listed_run(collection, "old", {"open": DOCNOS[2:]})
        built(collection, runs=("old",))
        self.opening = open_query(
            query=opened, annotators=self.people("ann1", "ann2"), opened_by=None
        )
        judge_both(self.opening, (0, 3))
        collection.shadow_judges.create(
            name="first", filename="first", labels_count=0, sha256="0" * 64
        )
        screen(collection, [self.document("d3"), self.document("d4")], ["all"], seed=1)
        self.draft = create_query(collection=collection, docno="draft", facet_key="method")
        a_listed_run(collection, "up", {"draft": DOCNOS})
        a_listed_run(collection, "down", {"draft": DOCNOS[::-1]})
        built(collection)
        self.system = collection.systems.create(
            name="theirs", kind=SystemKind.FILE, sha256="0" * 64
        )

    def people(self, *names: str) -> tuple[User, User]:
        first, second = (User.objects.get(username=name) for name in names)
        return first, second

    def membership(self, username: str, role: str):
        return self.collection.memberships.get(user__username=username, role=role)

    def document(self, docno: str) -> Document:
        return self.collection.documents.get(docno=docno)


def changed_text(scene: Scene, work: DirectRun) -> None:
    """Import another abstract of a candidate of the draft pool."""
    path = scene.folder / f"{uuid.uuid4()}.jsonl"
    path.write_text(json.dumps({"docno": "d1", "title": "Other", "sentences": ["Other."]}))
    import_documents(collection=scene.collection, path=path, work=work)


def new_document(scene: Scene, work: DirectRun) -> None:
    path = scene.folder / f"{uuid.uuid4()}.jsonl"
    path.write_text(json.dumps({"docno": "d9", "title": "New", "sentences": ["New."]}))
    import_documents(collection=scene.collection, path=path, work=work)


def predicted(scene: Scene, work: DirectRun) -> None:
    DocumentFactory(collection=scene.collection, docno=f"bare{next(MANY)}", labels=[])
    predict_labels(collection=scene.collection, work=work)


def topics(scene: Scene, work: DirectRun) -> None:
    path = scene.folder / f"{uuid.uuid4()}.jsonl"
    path.write_text(json.dumps({"_id": "t1", "text": "A short query"}))
    import_topics(
        collection=scene.collection, files={path.name: path}, facet_key="method", work=work
    )


def full_texts(scene: Scene, work: DirectRun) -> None:
    path = scene.folder / f"{uuid.uuid4()}.jsonl"
    path.write_text(json.dumps({"docno": "d1", "url": "https://example.org/d1.pdf"}))
    import_full_texts(collection=scene.collection, files={path.name: path}, work=work)


def replaced_run(scene: Scene, work: DirectRun) -> None:
    made = Run(collection=scene.collection, name="up", kind="file", depth=2)
    lists = {"draft": [Scored(docno, 1 / rank) for rank, docno in enumerate(DOCNOS[1:3], 1)]}
    store_run(made, lists, RunReport(), work)


def pools(scene: Scene, work: DirectRun) -> None:
    plan = PoolPlan(runs=("up", "down"), parameters={"n": 2})
    build_pools(collection=scene.collection, plan=plan, work=work, built_by=None)


def imported(scene: Scene, work: DirectRun) -> None:
    path = scene.folder / f"judgments{next(MANY)}.csv"
    free = slots_of(scene.opening, "ann1")[-1].pair.candidate.document.docno
    rows = ["draft_method,d1,mara,1", "draft_method,d1,ines,2", f"open_method,{free},mara,1"]
    path.write_text("\n".join(["query,docno,annotator,grade", *rows]))
    options = ImportOptions(replace_drafts=True)
    import_judgments(
        collection=scene.collection, files=[(path, path.name)], options=options, work=work
    )


def sampled(scene: Scene, work: DirectRun) -> None:
    plan = SamplePlan(by=(), per_stratum=2)
    draw_sample(collection=scene.collection, name="all", plan=plan, work=work)


def labelled(scene: Scene) -> None:
    checked(scene.document("d2"), ["method", "method", "method"])


def more_queries(scene: Scene) -> None:
    more = {"collection": scene.collection, "docno": "draft", "facet_key": "result"}
    create_query(**more)
    add_sentence_query(**more, sentences=(1, 2))


def chosen(scene: Scene) -> None:
    plan = ChoicePlan(sample="first", numbers=(1,), least_rating=1, seed="s")
    apply_choice(choice=compute_choice(collection=scene.collection, plan=plan))


def removed_query(scene: Scene) -> None:
    remove_query(query=copy(scene.draft))


def removed_run(scene: Scene) -> None:
    remove_run(run=scene.collection.runs.get(name="down"))


def frozen(scene: Scene) -> None:
    freeze_pools(collection=scene.collection)


def opened_and_judged(scene: Scene) -> None:
    opening = open_query(
        query=copy(scene.draft), annotators=scene.people("ann1", "ann3"), opened_by=None
    )
    for username in ("ann1", "ann3"):
        judge(slots_of(opening, username)[0], 2)


def handed_over(scene: Scene) -> None:
    reassign_seat(opening=scene.opening, number=1, annotator=User.objects.get(username="ann3"))


def excluded(scene: Scene) -> None:
    third = User.objects.get(username="ann3")
    exclude(collection=scene.collection, docno="draft", annotator=third)


def piloted(scene: Scene) -> None:
    """All of a round: it takes the query that another service may open or remove."""
    pilot = start_pilot(
        collection=scene.collection,
        annotators=scene.people("ann3", "spare"),
        named=["draft_method"],
        per_query=2,
    )
    practise(pilot.pairs.first(), User.objects.get(username="ann3"))
    close_set(practice_set=pilot)


def rebalanced(scene: Scene) -> None:
    team = [User.objects.get(username=name) for name in ("ann2", "spare")]
    rebalance_seats(collection=scene.collection, annotators=team)


def topped_up(scene: Scene, work: DirectRun) -> None:
    paper, name = scene.opening.query.query_paper.name, f"late{next(MANY)}"
    late(scene.collection, name, new_documents(scene.collection, 1), paper)
    add_round(
        collection=scene.collection,
        plan=RoundPlan("Late."),
        runs=stored_runs(scene.collection, [name]),
        work=work,
    )


def round_opened(scene: Scene) -> None:
    topped_up(scene, DirectRun())
    spare = User.objects.get(username="spare")
    open_new_pairs(collection=scene.collection, substitutes=[spare])


def planned(scene: Scene) -> None:
    save_plan(
        collection=scene.collection,
        name="Deep",
        fields={"strategy": ["interleaved"]},
        saved_by=User.objects.get(username="admin"),
        opened="Deep",
    )


def newcomer_as(role: str) -> Callable[[Scene], None]:
    def give(scene: Scene) -> None:
        add_membership(collection=scene.collection, user=scene.newcomer, role=role)

    give.__name__ = f"newcomer_as_{role}"
    return give


def ended_judging(scene: Scene) -> None:
    """An owner-annotator without a query becomes an admin."""
    person = scene.newcomer
    add_membership(collection=scene.collection, user=person, role=Role.OWNER_ANNOTATOR)
    end_judging(collection=scene.collection, person=person)


def without_ann3(scene: Scene) -> None:
    remove_role(membership=scene.membership("ann3", Role.ANNOTATOR))


def without_admin(name: str) -> Callable[[Scene], None]:
    def take(scene: Scene) -> None:
        take_role(membership=scene.membership(name, Role.ADMIN))

    take.__name__ = f"without_{name}"
    return take


newcomer_as_admin = newcomer_as(Role.ADMIN)
without_admin_1 = without_admin("admin")


def settings_changed(scene: Scene) -> None:
    now = Collection.objects.get(pk=scene.collection.pk)
    change_settings(
        collection=now,
        name="Another name",
        description="",
        licence="",
        corpus_licence="",
        seconds_per_judgment=10,
        seed=now.seed,
        analysis=now.analysis,
        document_language=now.document_language,
    )


def guideline(scene: Scene) -> None:
    write_guideline(
        facet=scene.collection.facets.get(key="method"),
        instructions="Again.",
        grades=default_guidelines()["method"]["grades"],
    )


def guideline_applied(scene: Scene) -> None:
    guideline(scene)
    apply(scene, judge_again=False)
    for seat in scene.opening.seats.all():
        record_reading(scene.opening.query.facet.guidelines.first(), seat.annotator)


def another_round(scene: Scene) -> None:
    apply(scene, judge_again=True)


def apply(scene: Scene, *, judge_again: bool) -> None:
    apply_guideline(
        collection=scene.collection,
        queries=[scene.opening.query.name],
        guideline=scene.opening.query.facet.guidelines.first(),
        reason="Clearer.",
        judge_again=judge_again,
        made_by=None,
    )


def rescaled(scene: Scene) -> None:
    change_facets_and_scale(collection=scene.collection, facets=DEFAULT_FACETS, highest_grade=4)


def judged(scene: Scene) -> None:
    judge(slots_of(scene.opening, "ann2")[-1], 1)


def decided(scene: Scene) -> None:
    case = Case.objects.due().get(query=scene.opening.query)
    decide_case(case, User.objects.get(username="adju"), Ruling(grade=1))


def case_of(scene: Scene) -> Case:
    """The pair that is a case at first."""
    first = Judgment.objects.filter(slot__pair__query=scene.opening.query).order_by("pk")[0]
    return Case.objects.get(slots__judgments=first)


def opened_again(scene: Scene) -> None:
    refer(case_of(scene), Recipient.JUDGES)


def opened_again_for_others(scene: Scene) -> None:
    third = User.objects.get(username="ann3")
    refer(case_of(scene), Recipient.JUDGES, annotators={1: third})


def sent_to_the_adjudicator(scene: Scene) -> None:
    """Once it is decided."""
    if Case.objects.due().filter(query=scene.opening.query).exists():
        decided(scene)
    refer(case_of(scene), Recipient.ADJUDICATOR)


def rated(scene: Scene) -> None:
    rate(scene.collection.studies.get(), 1, 2)


def studied(scene: Scene) -> None:
    spare = User.objects.get(username="spare")
    create_study(collection=scene.collection, name="texts", rater=spare, queries=1, per_query=1)


def shadowed(scene: Scene, work: DirectRun) -> None:
    """Import the labels of a model."""
    name = f"model{next(MANY)}"
    path = scene.folder / name
    path.write_text("open_method 0 d3 1\n")
    import_shadow_judge(
        collection=scene.collection,
        path=path,
        filename=name,
        about=Description(name),
        work=work,
    )


def labels_compared(scene: Scene, work: DirectRun) -> None:
    compute_report(LabelEffectsReport("AP"), collection=scene.collection, work=work)


def unshadowed(scene: Scene) -> None:
    delete_shadow_judge(collection=scene.collection, name="first")


def family_named(scene: Scene) -> None:
    name_family(collection=scene.collection, name="first", family="dense")


def tagged(scene: Scene) -> None:
    pair = Case.objects.cases().get(query=scene.opening.query)
    tag_error(system=scene.system, pair=pair, error_type="context", tagged_by=None)


def types_changed(scene: Scene) -> None:
    change_paper_types(collection=scene.collection, plans=[TypePlan("Essay")])


def system_imported(scene: Scene, work: Any) -> None:
    save_system(
        collection=scene.collection,
        name="mine",
        kind=SystemKind.FILE,
        lists={"open_method": RankedList(DOCNOS, [3.0, 2.0, 1.0])}.items(),
        parameters={},
        work=work,
    )


def scored(scene: Scene, work: Any) -> None:
    evaluate(collection=scene.collection, work=work)


def folded(scene: Scene) -> None:
    save_folds(collection=scene.collection, folds=Folds({"open_method": 1}, "folds.json"))


def system_removed(scene: Scene) -> None:
    delete_system(system=scene.system)


def answered(scene: Scene) -> None:
    save_answers(collection=scene.collection, answers={"pay": "Unpaid."}, answered_by=None)


def profiled(scene: Scene) -> None:
    """Answer the questions about oneself, and revoke the consent."""
    change_threshold(collection=scene.collection, least_people=2)
    person = User.objects.get(username="ann3")
    save_profile(collection=scene.collection, person=person, values={"degree": "master"})
    delete_profile(collection=scene.collection, person=person)


def archived(scene: Scene) -> None:
    archive_collection(collection=scene.collection)


# Those that work for long first take a `Work`, whose fence is where they begin to write.
LONG = [
    changed_text,
    new_document,
    topics,
    full_texts,
    replaced_run,
    pools,
    topped_up,
    imported,
    sampled,
    predicted,
    system_imported,
    scored,
    shadowed,
    labels_compared,
]
SHORT = [
    labelled,
    more_queries,
    chosen,
    removed_query,
    removed_run,
    frozen,
    opened_and_judged,
    handed_over,
    excluded,
    piloted,
    rebalanced,
    round_opened,
    planned,
    newcomer_as_admin,
    newcomer_as(Role.ANNOTATOR),
    ended_judging,
    without_ann3,
    without_admin_1,
    without_admin("admin2"),
    settings_changed,
    rescaled,
    guideline,
    guideline_applied,
    another_round,
    judged,
    decided,
    studied,
    family_named,
    unshadowed,
    tagged,
    types_changed,
    archived,
    folded,
    system_removed,
    answered,
    profiled,
    opened_again,
    opened_again_for_others,
    sent_to_the_adjudicator,
]


# For each kind of fact that services read, services that change it: texts, runs, pools, queries,
# openings and judgments, seats, roles, the scale, and whether anything may change at all.
CHANGERS = [
    changed_text,
    replaced_run,
    pools,
    removed_query,
    imported,
    opened_and_judged,
    rebalanced,
    newcomer_as_admin,
    without_ann3,
    without_admin_1,
    rescaled,
    archived,
]
# Those that change what only long services read beside that.
FOR_LONG = [*CHANGERS, labelled, more_queries, chosen, removed_run, frozen, settings_changed]
OTHERS = [service for service in [*LONG, *SHORT] if service not in CHANGERS]
SECOND = [changed_text, pools, imported, *SHORT]


def each_with_a_scene(pairs: Iterable[Pair], folder: Path) -> Iterator[tuple[Pair, Scene]]:
    """The pairs of services, each with the same scene, whatever was done to the one before."""
    scene = Scene(folder)
    with kept_rows() as put_back:
        for pair in pairs:
            put_back()
            yield pair, deepcopy(scene)


@contextmanager
def named_if_it_fails(pair: Pair) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        error.add_note(" and ".join(service.__name__ for service in pair))
        raise


def bound(service: Service, scene: Scene) -> Callable[[], None]:
    return lambda: service(scene, DirectRun()) if service in LONG else service(scene)


class Interrupted(DirectRun):
    """Work that lets another service do all of its own just before it begins to write."""

    def __init__(self, between: Callable[[], None]) -> None:
        super().__init__()
        self.between = between
        self.outcome: Exception | None = None

    def fenced(self):
        between, self.between = self.between, lambda: None
        with ThreadPoolExecutor(1) as pool:
            self.outcome = Thread(pool, lambda: outcome(between)).future.result(30)
        return transaction.atomic()


def check_all_holds(scene: Scene) -> None:
    """What must be true in a collection after any order of the calls."""
    collection = scene.collection
    judged = Slot.objects.of(collection).judged()
    for slot in judged.select_related(
        "judgment",
        "pair__query__query_paper__document",
        "pair__query__opening__guideline",
        "pair__query__facet",
        "pair__query__collection",
        "pair__query__query_paper__topic",
        "pair__candidate__document",
    ):
        opening = slot.pair.query.opening
        assert slot.judgment.round == opening.round, "a judgment of an earlier round counts"
        assert slot.judgment.guideline_version <= opening.guideline.version
        shown = presentation_of(slot.pair, slot.judgment.guideline_version).digest
        assert slot.judgment.presentation_digest == shown, "a judgment is of a text that is gone"
    roles: dict[int, set[str]] = {}
    for user, role in collection.memberships.values_list("user", "role"):
        roles.setdefault(user, set()).add(role)
    assert not [user for user, user_roles in roles.items() if {"admin", "annotator"} <= user_roles]
    assert "admin" in set().union(*roles.values())
    seats = Seat.objects.filter(opening__query__collection=collection)
    seated = {
        (seat.opening.query_id, seat.number): seat.annotator_id
        for seat in seats.select_related("opening")
    }
    for slot in Slot.objects.of(collection).unjudged().select_related("pair"):
        assert "annotator" in roles.get(slot.annotator_id, ()), "a slot that no annotator can judge"
        assert seated[slot.pair.query_id, slot.number] == slot.annotator_id
    for opening in Opening.objects.of(collection).select_related("query__query_paper__pool"):
        assert opening.query.query_paper.pool.is_frozen
    frozen = BuildRun.objects.filter(build__pools__frozen_at__isnull=False)
    of_collection = frozen.filter(build__collection=collection).select_related("run")
    for used in of_collection.distinct():
        run = used.run
        assert run is not None, "a frozen pool was drawn from a run that is gone"
        assert used.sha256 == run.sha256
        lists = {
            ranking.query_paper.name: [
                Scored(*pair) for pair in zip(ranking.docnos, ranking.scores, strict=True)
            ]
            for ranking in run.rankings.select_related("query_paper")
        }
        assert lists_digest(lists) == used.sha256


# Behind services that change what others read, these. Of the long ones a few: the test below
# overtakes all of them. Behind a service of OTHERS, the same one.
BEHIND = {
    **{first.__name__: [(first, second) for second in SECOND] for first in CHANGERS},
    **{f"others{half}": [(each, each) for each in OTHERS[half::2]] for half in (0, 1)},
}


@pytest.mark.by_day(4)
@pytest.mark.parametrize("pairs", BEHIND.values(), ids=BEHIND)
def test_a_service_that_begins_before_another_commits_leaves_everything_true(
    pairs, on_postgresql, tmp_path
):
    for (first, second), scene in each_with_a_scene(pairs, tmp_path):
        with named_if_it_fails((first, second)):
            held_open(bound(first, scene), bound(second, scene))

            check_all_holds(scene)


@pytest.mark.one_database
@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.by_day(4)
def test_a_service_that_prepared_its_work_writes_nothing_that_is_out_of_date(half, tmp_path):
    pairs = [
        (first, second) for first in LONG[half::2] for second in dict.fromkeys([*FOR_LONG, first])
    ]
    for (first, second), scene in each_with_a_scene(pairs, tmp_path):
        with named_if_it_fails((first, second)):
            work = Interrupted(bound(second, scene))

            refused = outcome(lambda first=first, scene=scene, work=work: first(scene, work))

            check_all_holds(scene)
            if first is pools and refused is None:
                check_build_is_of_now(scene.collection)


def check_build_is_of_now(collection: Collection) -> None:
    build = collection.pool_builds.order_by("pk").last()
    assert build.manifest["corpus"]["sha256"] == corpus_digest(collection)
    assert build.manifest["seed"] == Collection.objects.get(pk=collection.pk).seed
    for used in build.build_runs.all():
        assert used.sha256 == used.run.sha256
    for pool in build.pools.all():
        assert pool.query_paper.queries.exists()


def test_the_seed_cannot_change_while_the_first_pools_are_drawn(tmp_path):
    scene = Scene(tmp_path)
    collection = a_collection(f"{scene.collection.slug}-fresh")
    for docno in [*DOCNOS, "q1"]:
        DocumentFactory(collection=collection, docno=docno)
    create_query(collection=collection, docno="q1", facet_key="method")
    a_listed_run(collection, "up", {"q1": DOCNOS})

    def other_seed() -> None:
        change_settings(
            collection=collection,
            name="Name",
            description="",
            licence="",
            corpus_licence="",
            seconds_per_judgment=15,
            seed="another",
            analysis="plain",
            document_language="en",
        )

    plan = PoolPlan(runs=("up",), parameters={"n": 2})
    work = Interrupted(other_seed)
    refused = outcome(lambda: build_pools(collection=collection, plan=plan, work=work))

    assert "the seed of the collection changed" in str(refused)
    assert not PoolBuild.objects.filter(collection=collection).exists()


def test_a_query_is_open_on_the_scale_of_its_guideline_whichever_service_is_first(on_postgresql):
    for rescale_first in (True, False):
        query = a_query(a_collection(f"scale{next(MANY)}"))

        def rescale(query=query) -> None:
            change_facets_and_scale(
                collection=query.collection, facets=DEFAULT_FACETS, highest_grade=1
            )

        def opens(query=query) -> None:
            open_query(query=query, annotators=annotators(query.collection), opened_by=None)

        outcomes = held_open(*((rescale, opens) if rescale_first else (opens, rescale)))

        collection = Collection.objects.get(pk=query.collection_id)
        guideline = Opening.objects.get(query=query).guideline
        assert len(guideline.grades) == len(collection.grades) == (2 if rescale_first else 4)
        assert outcomes[0] is None
        assert (outcomes[1] is None) is rescale_first


def test_of_two_builds_at_once_the_later_replaces_the_drafts_of_the_other(tmp_path):
    scene = Scene(tmp_path)
    work = Interrupted(bound(pools, scene))

    refused = outcome(lambda: pools(scene, work))

    assert (refused, work.outcome) == (None, None)
    assert Pool.objects.get(query_paper=scene.draft.query_paper).candidates.count() == 4


# Reports of which one is replaced and every other is kept, each with a service that changes it.
REPORTS = [(PoolChecks(), pools), (AgreementReport("zero"), decided)]


@pytest.mark.parametrize(("kind", "change"), REPORTS)
def test_two_transactions_that_store_one_report_leave_one_row(
    on_postgresql, tmp_path, kind, change
):
    collection = Scene(tmp_path).collection
    began = []

    def compute() -> None:
        report = compute_report(kind, collection=Collection.objects.get(pk=collection.pk))
        began.append(report.checked_at)

    assert held_open(compute, compute) == [None, None]

    assert collection.stored_reports.get().checked_at == began[1] > began[0]


@pytest.mark.parametrize(("kind", "change"), REPORTS)
def test_a_report_that_began_earlier_and_is_stored_later_is_not_the_latest(tmp_path, kind, change):
    scene = Scene(tmp_path)

    def change_and_compute() -> None:
        bound(change, scene)()
        compute_report(kind, collection=Collection.objects.get(pk=scene.collection.pk))

    work = Interrupted(change_and_compute)
    compute_report(kind, collection=scene.collection, work=work)

    assert work.outcome is None
    latest = stored_report(kind, scene.collection)
    assert latest.state == kind.state(Collection.objects.get(pk=scene.collection.pk))
    assert scene.collection.stored_reports.count() == (2 if latest.digest else 1)


def test_a_text_that_changes_while_its_query_is_opened_is_judged_as_it_is_or_stays(
    on_postgresql, tmp_path
):
    first, then = Scene(tmp_path), Scene(tmp_path)

    imported_first = held_open(bound(changed_text, first), bound(opened_and_judged, first))
    opened_first = held_open(bound(opened_and_judged, then), bound(changed_text, then))

    assert imported_first == [None, None]
    assert first.document("d1").title == "Other"
    assert opened_first[0] is None
    assert "in a frozen pool" in str(opened_first[1])
    assert then.document("d1").title != "Other"
    for scene in (first, then):
        check_all_holds(scene)


def test_a_first_judgment_is_of_the_round_and_version_that_the_query_has_then(
    on_postgresql, tmp_path
):
    outcomes = []
    for change in (another_round, guideline_applied):
        for judge_first in (False, True):
            scene = Scene(tmp_path)
            slot = next(s for s in slots_of(scene.opening, "ann2") if s.judgment is None)
            shown = digest_of(slot)
            calls = [
                bound(change, scene),
                lambda slot=slot, shown=shown: judge(slot, 1, presentation_digest=shown),
            ]
            outcomes.append(held_open(*(reversed(calls) if judge_first else calls)))

            check_all_holds(scene)
            assert kept_counts() == recounted()

    assert [[type(error).__name__ for error in both] for both in outcomes] == [
        ["NoneType", "WrongPresentation"],
        ["NoneType", "NoneType"],
        ["NoneType", "NoneType"],  # it was made before the version applied
        ["NoneType", "NoneType"],
    ]


@pytest.mark.parametrize("referral", [opened_again, opened_again_for_others, another_round])
def test_an_answer_to_judgments_that_no_longer_count_is_refused(on_postgresql, tmp_path, referral):
    scene = Scene(tmp_path)
    case = Case.objects.cases().get(pk=case_of(scene).pk)
    slot = case.slots.get(number=2)
    key = slot.judgment.key

    def settled() -> None:
        decide_case(case, User.objects.get(username="adju"), Ruling(grade=1))

    def revised() -> None:
        judge(slot, 1, supersedes=key)

    first = held_open(bound(referral, scene), settled)
    scene = Scene(tmp_path)
    case = Case.objects.cases().get(pk=case_of(scene).pk)
    slot = case.slots.get(number=2)
    key = slot.judgment.key
    second = held_open(bound(referral, scene), revised)

    assert [first[0], type(first[1])] == [None, NoSuchCase]
    assert [second[0], type(second[1])] == [None, RevisedMeanwhile]
    assert kept_counts() == recounted()


def test_a_pair_is_opened_again_with_the_locks_of_a_judgment_in_their_order(
    on_postgresql, tmp_path
):
    scene = Scene(tmp_path)
    of_query = {"query": scene.opening.query_id}

    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        # What the triggers of a judgment in slot 2 of another pair lock, one after the other.
        list(SlotCount.objects.select_for_update().filter(number=2, **of_query))
        referral = Thread(pool, lambda: outcome(bound(opened_again, scene)))
        wait_until(referral.is_waiting, 20, pause=0.005)
        list(PairCount.objects.select_for_update().filter(**of_query))

    assert referral.future.result(30) is None


def test_a_decision_from_before_a_referral_to_the_adjudicator_does_not_stand(
    on_postgresql, tmp_path
):
    """Whichever of the two waits for the other."""
    scene = Scene(tmp_path)
    decided(scene)
    case = Case.objects.cases().get(pk=case_of(scene).pk)
    adjudicator = User.objects.get(username="adju")

    def decided_otherwise() -> None:
        decide_case(case, adjudicator, Ruling(grade=2))

    def sent() -> None:
        refer(case, Recipient.ADJUDICATOR)

    assert held_open(decided_otherwise, sent) == [None, None]
    assert Case.objects.due().filter(pk=case.pk).exists()
    decided(scene)
    case = Case.objects.cases().get(pk=case.pk)
    outcomes = held_open(sent, decided_otherwise)

    assert outcomes[0] is None
    assert isinstance(outcomes[1], DecidedMeanwhile)
    assert Case.objects.due().filter(pk=case.pk).exists()
    assert kept_counts() == recounted()


def test_a_release_is_public_once_and_archived_collections_stay_as_they_are(
    on_postgresql, tmp_path
):
    scene = Scene(tmp_path)
    decided(scene)  # a release needs a label
    release = publish_release(collection=scene.collection, version="1", accept=EVERY_EXCEPTION)
    report = {"release": release, "query": "open_method", "docno": ""}
    erratum = report_erratum(**report, problem="First.")

    def reported() -> None:
        report_erratum(**report, problem="Second.")

    def settled() -> None:
        settle_erratum(erratum=erratum, accept=True, answer="Yes.", settled_by=None)

    def public() -> None:
        make_public(release=release, person=None)

    def private() -> None:
        make_private(release=release, person=None)

    for first, second in itertools.product((public, private), repeat=2):
        assert held_open(first, second) == [None, None]
        assert release.public_periods.current().count() == (1 if second is public else 0)
    others = (bound(opened_and_judged, scene), bound(settings_changed, scene))
    for second in (public, reported, settled, *others):
        _, refused = held_open(bound(archived, scene), second)
        assert isinstance(refused, CollectionArchived)
    assert not release.public_periods.current().exists()
    assert release.errata.open().count() == release.errata.count() == 1


@pytest.mark.parametrize("answer", [judged, decided, rated])
def test_an_export_has_every_answer_that_was_acknowledged(on_postgresql, tmp_path, answer):
    """Its transaction was open while the collection was archived."""
    scene = Scene(tmp_path)
    if answer is rated:
        a_labelled_query(scene.collection, 3, 1, 0)
        a_study(scene.collection)
    exports = []

    def archived_and_exported() -> None:
        archived(scene)
        exports.append(b"".join(export_collection(scene.collection)))

    assert held_open(bound(answer, scene), archived_and_exported) == [None, None]

    with zipfile.ZipFile(io.BytesIO(exports[0])) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    judgments = Judgment.objects.filter(slot__pair__query__collection=scene.collection)
    exported = manifest["rows"]["annotation.judgment"] + manifest["judgments_left_out"]
    assert exported == judgments.count() == {judged: 3, decided: 2, rated: 8}[answer]
    decisions = Decision.objects.filter(pair__query__collection=scene.collection)
    assert manifest["rows"]["adjudication.decision"] == decisions.count() == int(answer is decided)
    ratings = StudyRating.objects.filter(study_pair__study__collection=scene.collection)
    assert manifest["rows"]["studies.studyrating"] == ratings.count() == int(answer is rated)
