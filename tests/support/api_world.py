"""A collection with one of everything the API shows, and much that an annotator must not learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Collection, Role, User
from accounts.tokens.scopes import TokenScope
from accounts.tokens.services import MOST_TOKENS, create_token
from adjudication.models import Case
from adjudication.services import Ruling
from agreement.alignment.report import AlignmentReport
from agreement.consistency.report import ConsistencyReport
from agreement.services import AgreementReport
from annotation.models import HelpRequest, Opening, PairQuestion, Slot
from annotation.services import Answer, open_query, set_up_collection
from corpus.facets import DEFAULT_FACETS, FacetPlan
from corpus.services import create_query
from curation.samples.services import SamplePlan, draw_sample
from curation.screening.services import Verdict, save_screening
from evaluation.corpus_sizes.report import CorpusSizesReport
from evaluation.corpus_sizes.sub_corpora import planned
from evaluation.gaps.services import GapsReport
from evaluation.label_effects.pool_rounds import RoundEffectsReport
from evaluation.label_effects.services import (
    CitedPapersReport,
    LabelEffectsReport,
    ShadowJudgeReport,
)
from evaluation.pool_bias.services import PoolBiasReport
from evaluation.prediction_powered.report import PredictionPoweredReport
from jobs.context import DirectRun
from jobs.models import Job
from planning.yields.report import YieldReport
from pooling.models import PoolBuild
from release.errata.services import report_erratum
from release.models import Erratum, Release
from release.proofs.display import DisplayProof
from release.services import publish_release
from reports.kinds import ReportKind
from reports.models import StoredReport
from reports.services import compute_report
from retrieval.formats import RankedList
from retrieval.models import Run
from scoring.models import System, SystemKind
from scoring.services import evaluate
from scoring.systems.services import save_system
from studies.models import Study
from tests.support.asking_scenes import an_answer, an_asking
from tests.support.factories import (
    DocumentFactory,
    UserFactory,
    a_collection,
    a_pool,
    annotators,
    member,
)
from tests.support.releases import EVERY_EXCEPTION
from tests.support.screened_samples import a_choice
from tests.support.sittings import decide_case, judge
from tests.support.study_scenes import attach_full_texts, rate

RETRIEVER = "secret-retriever"
RANK, SCORE = 4_711_093, 7.77125
SHADOW_JUDGE = "secret-model"
FAMILY = "secret-family"
NOTE = "SECRET NOTE"
EMAIL = "secret@example.org"  # of a reader
HALF_NOTE = "UNFINISHED NOTE"  # of the one pair that only ann2 has judged
# What an annotator gets contains none of these names but the own one.
NAMES = {"admin": "Maximilian Quux", "ann2": "Zebedee Plugh", "adju": "Adelheid Xyzzy"}


@dataclass
class World:
    collection: Collection
    opening: Opening
    run: Run
    job: Job
    report: StoredReport
    release: Release
    study: Study
    erratum: Erratum

    @property
    def slug(self) -> str:
        return self.collection.slug

    @property
    def query(self) -> str:
        return self.opening.query.name

    @property
    def build(self) -> PoolBuild:
        return self.collection.pool_builds.get(pools__query_paper__name=self.paper)

    @property
    def paper(self) -> str:
        return self.opening.query.query_paper.name

    @property
    def system(self) -> System:
        """An imported system; the run is one, too."""
        return self.collection.systems.get(kind=SystemKind.FILE)

    def slots(self, number: int = 1) -> list[Slot]:
        """Those of the first pool round, whatever rounds a test adds."""
        slots = Slot.objects.filter(
            pair__query=self.opening.query, number=number, pair__candidate__round=1
        )
        return list(slots.select_related("pair", "annotator").order_by("position"))

    @property
    def token(self) -> str:
        """A pair that ann1 has judged."""
        return self.slots()[0].pair.token


def a_world(slug: str = "small", facets: Sequence[FacetPlan] = DEFAULT_FACETS) -> World:
    """ann1 judged two of three pairs, ann2 all; on the first they differ and adju decided."""
    collection = a_collection(slug, licence="CC-BY-4.0", relevant_from=1, facets=facets)
    for username, name in NAMES.items():
        User.objects.filter(username=username).update(first_name=name)
    run = collection.runs.create(name=RETRIEVER, kind="file", depth=3, sha256="0" * 64)
    opening = _opening(collection)
    world = World(collection, opening, run, None, None, None, None, None)  # type: ignore[arg-type]
    _rank(world)
    mine, theirs = world.slots(1), {slot.pair_id: slot for slot in world.slots(2)}
    for slot, grade in zip(mine[:2], (3, 1), strict=True):
        judge(slot, Answer(grade=grade, note="my own note"))
    for slot, grade in zip(mine[:2], (0, 1), strict=True):
        judge(theirs[slot.pair_id], Answer(grade=grade, note=NOTE))
    judge(theirs[mine[2].pair_id], Answer(grade=2, note=HALF_NOTE))
    settle(mine[0], Ruling(grade=1, note=NOTE))
    world.report = compute_report(AgreementReport("exclude"), collection=collection)
    world.release = publish_release(collection=collection, version="1.0", accept=EVERY_EXCEPTION)
    world.erratum = report_erratum(
        release=world.release, query=world.query, docno="", problem=NOTE, email=EMAIL
    )
    world.study = a_study(mine[1])
    world.job = collection.jobs.create(kind="build_pools", key="build_pools", parameters={})
    collection.saved_plans.create(name="Deep pools", fields={})
    _sample(collection)
    a_choice(collection)
    _score(world)
    add_shadow_judge(world, SHADOW_JUDGE)
    compute_report(PoolBiasReport(), collection=collection)
    compute_report(YieldReport(), collection=collection)
    compute_report(GapsReport(), collection=collection)
    compute_report(AlignmentReport(), collection=collection)
    compute_report(ConsistencyReport(), collection=collection)
    compute_report(DisplayProof(), collection=collection)
    # A report on pool rounds, though there is only the first: more would change every count.
    rounds = RoundEffectsReport("AP(rel=2)")
    _store(collection, rounds, rounds.content(collection, DirectRun()).payload)
    sizes = CorpusSizesReport().checked(collection)
    _store(collection, sizes, a_sizes_payload(sizes))
    return world


def a_sizes_payload(kind: CorpusSizesReport) -> dict[str, Any]:
    """Made up: indexes of sub-corpora would take seconds."""
    means = {name: {"AP": 0.3, "nDCG": 0.5, "R@30": 0.4} for name in kind.retrievers}
    plan = planned(["Physics"], kind.field_size, kind.sizes, kind.draws)
    return {
        **{"collection": "small", "depth": 500, "measures": ["AP", "nDCG", "R@30"]},
        **{**kind.parameters, "queries": 2, "left_out": {"topics": 1}},
        "scopes": {scope: {"queries": 2, "cited": 3, "population": 9} for scope in ("Physics", "")},
        "corpora": [
            {**corpus._asdict(), "documents": min(corpus.size, 900_000), "means": means}
            for corpus in plan
        ],
    }


def _store(collection: Collection, kind: ReportKind, payload: Any) -> None:
    now = timezone.now()
    collection.stored_reports.create(
        kind=kind.name,
        key=kind.key,
        parameters=kind.parameters,
        version=kind.version,
        state=kind.state(collection),
        computed_at=now,
        checked_at=now,
        seconds=0,
        payload=payload,
    )


def add_shadow_judge(world: World, name: str) -> None:
    """A model's labels of all pairs, and its comparison with people."""
    collection = world.collection
    judge = collection.shadow_judges.create(
        name=name,
        model=name,
        family=FAMILY,
        filename=f"{name}.txt",
        labels_count=3,
        sha256="0" * 64,
    )
    for slot in world.slots():
        judge.labels.create(pair=slot.pair, grade=3)
    # Its labels are from before it was asked, so that each pair has one without an answer.
    asking = an_asking(collection, judge, answers_count=1, problems={"no-grade": 1})
    an_answer(asking, world.slots()[0].pair, grade=None, problem="no-grade", raw="Two.")
    for kind in (
        LabelEffectsReport("AP"),
        CitedPapersReport("AP"),
        ShadowJudgeReport("AP", name),
    ):
        compute_report(kind, collection=collection)
    _estimate(world, name)


def _estimate(world: World, name: str) -> None:
    """A report with an estimate, as a collection with more judged queries has it."""
    report = compute_report(PredictionPoweredReport("AP", name), collection=world.collection)
    bounds = {"value": 0.5, "low": 0.4, "high": 0.6}
    estimate = {
        **{"system": RETRIEVER, "model_only": 0.7, "human": bounds, "powered": bounds},
        **{"tuning": 0.1, "saved": {"queries": 0, "pairs": 0}},
    }
    report.payload = {**report.payload, "reason": "", "systems": [estimate]}
    report.save(update_fields=["payload"])


def _sample(collection: Collection) -> None:
    """A sample with a paper that the admin has screened."""
    plan = SamplePlan(by=("period",), per_stratum=2, periods="1987")
    sample = draw_sample(collection=collection, name="periods", plan=plan, work=DirectRun())
    verdict = Verdict("survey", 2, reason=NOTE)
    admin = User.objects.get(username="admin")
    save_screening(paper=sample.papers.get(position=1), screener=admin, verdict=verdict)


def _opening(collection: Collection) -> Opening:
    # A docno may hold slashes; addresses must bear that.
    paper = DocumentFactory(collection=collection, docno=f"10.1/{collection.slug}")
    facet = collection.facets.filter(key__in=("method", "")).get()
    query = create_query(collection=collection, docno=paper.docno, facet_key=facet.key)
    candidates = DocumentFactory.create_batch(3, collection=collection)
    paper.references = [candidate.docno for candidate in candidates]
    paper.save(update_fields=["references"])
    pool = a_pool(query.query_paper, candidates, RETRIEVER)
    for candidate in pool.candidates.all():
        candidate.contributions.create(source="also-secret", rank=RANK, score=SCORE, drawn=False)
    return open_query(query=query, annotators=annotators(collection), opened_by=None)


def _rank(world: World) -> None:
    pool = world.opening.query.query_paper.pool
    docnos = list(pool.candidates.values_list("document__docno", flat=True))
    world.run.rankings.create(query_paper=pool.query_paper, docnos=docnos, scores=[3.0, 2.0, 1.0])


def _score(world: World) -> None:
    """An imported system and the run, both with stored scores."""
    documents = world.slots()[0].pair.query.pairs.values_list(
        "candidate__document__docno", flat=True
    )
    lists = {world.query: RankedList(list(documents), [3.0, 2.0, 1.0])}
    save_system(
        collection=world.collection,
        name="secret-system",
        kind=SystemKind.FILE,
        lists=lists.items(),
        parameters={"files": ["system.run"]},
        report={"lists": 1},
    )
    evaluate(collection=world.collection)


def a_study(slot: Slot) -> Study:
    """A study with one pair, which its rater, who has the slot, has rated."""
    pair = slot.pair
    attach_full_texts(pair.query.query_paper.document, pair.candidate.document)
    study = Study.objects.create(
        collection=pair.query.collection, name="texts", rater=slot.annotator, seed="seed"
    )
    # It has the token of another pair, so that one token opens a page of each kind.
    token = pair.query.pairs.get(slots__number=1, slots__position=1).token
    study.pairs.create(pair=pair, position=1, token=token, label=1)
    rate(study, 1, grade=2)
    return study


def settle(slot: Slot, ruling: Ruling) -> None:
    case = Case.objects.cases().get(pk=slot.pair_id)
    decide_case(case, User.objects.get(username="adju"), ruling)


def every_id(world: World) -> dict[str, list[object]]:
    """A value, or all there are, for each parameter of the project's addresses."""
    collection = world.collection
    slots = Slot.objects.of(collection)
    queries = list(collection.queries.values_list("name", flat=True))
    tokens = slots.order_by("pair__token").values_list("pair__token", flat=True).distinct()
    memberships = list(collection.memberships.values_list("pk", flat=True))
    return {
        "slug": [world.slug],
        "docno": [world.paper, world.slots()[0].pair.candidate.document.docno],
        "topic": ["t1"],
        "build": [world.collection.pool_builds.first().pk],
        "round_number": [2],
        "choice": [world.collection.query_choices.get().name],
        "plan": [world.collection.saved_plans.get().pk],
        "sample": ["periods"],
        "position": [1, 2],
        "query": queries,
        "name": [*queries, world.run.name, world.system.name],
        "token": list(tokens),
        "version": [world.release.version],
        "job_id": [world.job.pk],
        "opening_id": [world.opening.pk],
        "exclusion_id": [0],
        "help_request": list(HelpRequest.objects.of(collection).values_list("pk", flat=True))
        or [0],
        "question": list(PairQuestion.objects.of(collection).values_list("pk", flat=True)) or [0],
        "erratum_id": [world.erratum.pk],
        "page": ["judging"],
        "picture": ["none"],
        "user_id": sorted(world.collection.memberships.values_list("user", flat=True)),
        "membership_id": memberships,
        "username": ["ann1", "ann2"],
        "person_id": [0],
        "made_by_id": [0],
        "link_token": ["no-token"],
        "stop_token": ["no-token"],
        "mail_name": ["no-mail"],
        "invitation_id": [0],
        "token_id": [0],
        "link_id": [0],
        "provider_id": ["oidc"],
        "organization_slug": ["saml"],
        "pk": [0],
        "key": ["no-key"],
        "uidb36": ["1"],
        "number": [1, 2],
        "facet": [collection.facets.get(key__in=("method", "")).slug],
        "missing": ["exclude", "zero"],
        "figure": [
            "agreement",
            "annotators",
            "cited",
            "grades",
            "depth",
            "overlap",
            "progress",
            "queries",
            "balance",
            "baseline",
            "comparison",
            "model-means",
            "sources",
        ],
        "extension": ["svg", "csv"],
        "strategy": ["random"],  # of judging
        "table": ["documents"],
        "practice_set": [each.name for each in collection.practice_sets.all()] or ["pilot-1"],
        "study": [world.study.name],
        "shadow_judge": [SHADOW_JUDGE],
        "label_sample": ["no-sample"],
    }


def another_collection() -> Collection:
    """With people of its own in every role."""
    owner = UserFactory(username="far-admin")
    collection = set_up_collection(slug="far", name="Far", owner=owner, seed="seed")
    member(collection, Role.ANNOTATOR, "far-annotator")
    for role in (Role.ADJUDICATOR, Role.CURATOR):
        member(collection, role, owner.username)
    return collection


def token_of(username: str, scope: str = TokenScope.ADMIN) -> str:
    """A new token, which was used just now, so that a request with it only reads."""
    person = User.objects.get(username=username)
    if person.api_tokens.count() >= MOST_TOKENS:  # in a walk over all addresses
        person.api_tokens.order_by("pk").first().delete()
    token = create_token(person=person, name="A program", scope=TokenScope(scope), days=90)
    person.api_tokens.filter(last_used_at=None).update(last_used_at=timezone.now())
    return token


def client_of(username: str, scope: str = TokenScope.ADMIN) -> APIClient:
    client = APIClient(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=f"Token {token_of(username, scope)}")
    return client
