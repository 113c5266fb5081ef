"""Compute a balanced choice of queries, and apply it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.locking import lock_collection
from accounts.models import Collection, User
from corpus.digests import json_digest
from corpus.models import Facet, Query, QueryPaper
from corpus.services import add_query, record_added_queries
from corpus.text.query_facts import QueryFacts
from curation.choice.balance import ChosenPaper, choose_evenly, unevenness
from curation.choice.linear_program import NoSolution, TimeIsUp
from curation.choice.plan import (
    ChoiceError,
    ChoicePlan,
    ChoiceResult,
    ChosenRow,
    RatedPaper,
    candidates_of,
    infeasible,
)
from curation.models import QueryChoice, Sample
from curation.screening.results import screened_papers
from jobs.context import DirectRun, JobContext
from jobs.models import Job
from jobs.services import enqueue
from web.words import count_noun, listed

JOB_KIND = "choose_queries"
REQUEST_SECONDS = 6.0  # a choice like CSFCube's takes 1 to 3
JOB_SECONDS = 1_800.0
LISTED = 10
ALL = "all"  # the period of a sample without strata


class ChoiceChanged(ChoiceError):
    """The screening, the queries or the papers changed since the choice was computed."""

    status = 409

    def __init__(self) -> None:
        super().__init__(
            "No query was created, because the screening or the queries changed since this choice "
            "was computed. Compute it again and check it."
        )


class AlreadyApplied(ChoiceError):
    status = 409

    def __init__(self, choice: QueryChoice) -> None:
        super().__init__(f"The choice {choice.name} was applied already, so nothing was changed.")


class ChoiceTakesLong(ChoiceError):
    """The best choice was not found in time. A job has more time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"The best choice was not found within {seconds:,.0f} seconds, so nothing was chosen. "
            "Choose fewer papers, raise the least rating, or pin some papers."
        )


class SampleState(NamedTuple):
    """The screened papers of a sample, and what they are balanced by."""

    papers: list[RatedPaper]
    type_names: dict[str, str]
    facets: list[Facet]

    @property
    def digest(self) -> str:
        rows = [
            [str(value) if name == "rating" else value for name, value in paper._asdict().items()]
            for paper in sorted(self.papers)
        ]
        return json_digest([rows, self.type_names])


def sample_named(collection: Collection, name: str) -> Sample:
    """Raises ChoiceError, with the existing names, if there is none."""
    sample = collection.samples.filter(name=name).first()
    if sample is None:
        names = ", ".join(collection.samples.values_list("name", flat=True))
        raise ChoiceError(
            f"Unknown sample {name!r} in {collection.slug}. "
            + (f"Use one of {names}." if names else "Draw a sample and screen it first.")
        )
    return sample


def state_of(sample: Sample) -> SampleState:
    """A fixed number of queries to the database."""
    facets = list(sample.collection.facets.all())
    used: dict[str, list[str]] = {}
    rows = sample.collection.queries.filter(query_paper__document__sampled_papers__sample=sample)
    for docno, key in rows.order_by("facet__position").values_list(
        "query_paper__document__docno", "facet__key"
    ):
        used.setdefault(docno, []).append(key)
    papers = [
        RatedPaper(
            docno=paper.docno,
            title=paper.title,
            year=paper.year,
            period=_period_of(paper.stratum),
            paper_type=paper.paper_type,
            is_excluded=paper.is_excluded,
            facets=("",) if facets[0].is_whole else paper.facets,
            rating=paper.rating,
            screeners=paper.screeners,
            used_facets=tuple(used.get(paper.docno, ())),
        )
        for paper in screened_papers(sample)
    ]
    names = dict(sample.collection.paper_types.values_list("key", "name"))
    return SampleState(papers, names, facets)


def _period_of(stratum: dict[str, str]) -> str:
    """The period, or all of the stratum if the sample has no periods."""
    # Sorted, because PostgreSQL does not keep the order of keys.
    return stratum.get("period") or ", ".join(value for _, value in sorted(stratum.items())) or ALL


def compute_choice(
    *,
    collection: Collection,
    plan: ChoicePlan,
    created_by: User | None = None,
    seconds: float = JOB_SECONDS,
    work: JobContext | None = None,
) -> QueryChoice:
    """Compute the most even choice of the plan, and store it. No query is created.

    The same plan, screening and queries give the same choice. It is stored once.

    Raises:
        ChoiceError: the plan has no choice; the message names the restriction.
        ChoiceTakesLong: it was not found in so many seconds.
    """
    work = work or DirectRun()
    sample = sample_named(collection, plan.sample)
    state = state_of(sample)
    result = _solve(state, plan, seconds, work)
    digest = json_digest([plan.as_json(), state.digest, result["papers"]])
    with work.fenced():
        lock_collection(collection)
        choice, _ = QueryChoice.objects.get_or_create(
            collection=collection,
            digest=digest,
            defaults={
                "sample": sample,
                "plan": plan.as_json(),
                "inputs": state.digest,
                "result": result,
                "created_by": created_by,
            },
        )
        work.complete({"choice": choice.name, "papers": plan.papers, "queries": plan.queries})
    return choice


def request_choice(*, collection: Collection, plan: ChoicePlan, requested_by: User | None) -> Job:
    """Queue a job that computes the choice. It has more time than a request."""
    return enqueue(
        kind=JOB_KIND,
        collection=collection,
        parameters={"plan": plan.as_json()},
        requested_by=requested_by,
    )


def _solve(state: SampleState, plan: ChoicePlan, seconds: float, work: JobContext) -> ChoiceResult:
    candidates = candidates_of(state.papers, plan)
    try:
        choices = choose_evenly(
            candidates, plan.numbers, seed=plan.seed, seconds_left=_countdown(seconds, work)
        )
    except NoSolution as error:
        raise infeasible(candidates, plan) from error
    except TimeIsUp as error:
        raise ChoiceTakesLong(seconds) from error
    by_docno = {paper.docno: paper for paper in state.papers}
    options = {facet for candidate in candidates for each in candidate.options for facet in each}
    return {
        "papers": [_row(by_docno[choice.candidate.docno], choice, plan) for choice in choices],
        "candidates": len(candidates),
        "periods": sorted({candidate.period for candidate in candidates}),
        "types": [
            key
            for key in state.type_names
            if key in {candidate.paper_type for candidate in candidates}
        ],
        "facets": [facet.key for facet in state.facets if facet.key in options],
        "unevenness": list(unevenness(choices)),
    }


def _countdown(seconds: float, work: JobContext) -> Callable[[], float]:
    """The seconds that are left. Each step of the solution asks for them."""
    end = time.monotonic() + seconds
    steps = 0

    def left() -> float:
        nonlocal steps
        steps += 1
        work.progress(steps, None, "finding the most even choice, step")
        return end - time.monotonic()

    return left


def _row(paper: RatedPaper, choice: ChosenPaper, plan: ChoicePlan) -> ChosenRow:
    chosen = "pinned" if paper.docno in plan.pins else "balanced"
    return {
        "docno": paper.docno,
        "title": paper.title,
        "year": paper.year,
        "period": paper.period,
        "type": paper.paper_type,
        "rating": f"{float(paper.rating):.2f}",
        "screeners": paper.screeners,
        "facets": list(choice.facets),
        "chosen": "query" if paper.used_facets else chosen,
    }


def apply_choice(*, choice: QueryChoice) -> list[Query]:
    """Create the queries of the choice, all or none of them. Returns the new ones.

    Raises:
        AlreadyApplied
        ChoiceChanged: the choice was computed from other screenings or queries.
        ChoiceError: a paper has no sentence on one of its facets.
    """
    try:
        with transaction.atomic():
            collection = lock_collection(choice.collection)
            choice = collection.query_choices.select_related("sample").get(pk=choice.pk)
            if choice.applied_at:
                raise AlreadyApplied(choice)
            state = state_of(choice.sample)
            if state.digest != choice.inputs:
                raise ChoiceChanged
            _check_labels(collection, choice)
            before = set(collection.queries.values_list("pk", flat=True))
            queries = [
                query
                for row in choice.result["papers"]
                for query in _create(collection, choice, row, state.type_names)
            ]
            QueryChoice.objects.filter(pk=choice.pk).update(applied_at=timezone.now())
            new = [query for query in queries if query.pk not in before]
            record_added_queries(collection, [query.name for query in new])
    except IntegrityError as error:
        raise ChoiceChanged from error
    return new


def missing_labels(collection: Collection, rows: Sequence[ChosenRow]) -> list[str]:
    """The queries of the papers that have no sentence on their facet, as "docno facet"."""
    facets = {facet.key: facet for facet in collection.facets.all()}
    found = collection.documents.filter(docno__in=[row["docno"] for row in rows])
    documents = {document.docno: document for document in found}
    return [
        f"{row['docno']} {key}".strip()
        for row in rows
        for key in row["facets"]
        if not (
            documents[row["docno"]].sentences and documents[row["docno"]].speaks_of(facets[key])
        )
    ]


def _check_labels(collection: Collection, choice: QueryChoice) -> None:
    if missing := missing_labels(collection, choice.result["papers"]):
        raise ChoiceError(
            f"No query was created, because {count_noun(len(missing), 'query', 'queries')} would "
            f"have no sentence on the facet: {listed(missing, LISTED)}. Label their sentences, or "
            "bar the papers and compute the choice again."
        )


def _create(
    collection: Collection, choice: QueryChoice, row: ChosenRow, type_names: dict[str, str]
) -> list[Query]:
    plan = ChoicePlan.of(choice.plan)
    facts = QueryFacts(
        paper_type=type_names.get(row["type"], row["type"]),
        year=str(row["year"] or ""),
        period=row["period"],
        rating=row["rating"],
        screeners=str(row["screeners"]),
    )
    if row["chosen"] != "query":
        facts = facts._replace(
            chosen=row["chosen"],
            sample=plan.sample,
            least_rating=str(plan.least_rating),
            seed=plan.seed,
            choice=choice.name,
        )
    added = [
        add_query(collection=collection, docno=row["docno"], facet_key=key) for key in row["facets"]
    ]
    queries = [query for query, _ in added]
    paper = queries[0].query_paper
    # The known facts about an earlier query paper stay, as from an import.
    metadata = {**facts.as_metadata(), **paper.metadata}
    QueryPaper.objects.filter(pk=paper.pk).update(metadata=metadata)
    return queries
