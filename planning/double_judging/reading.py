"""The pairs, systems and models of a collection, as the comparison of plans needs them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection as Group
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce

from accounts.models import Collection
from adjudication.labels import labelled_pairs
from adjudication.standing import LabelledPair
from annotation.models import Pair, PairCount
from corpus.ordering import shuffled
from planning.double_judging.plan_figures import SystemsUnderLabels
from planning.double_judging.predictors import (
    checked_model,
    model_scores,
    ranking_systems,
)
from planning.double_judging.strategies import PURPOSE, JudgedTwice, PairColumns
from planning.judged_pools import lists_of_sources
from retrieval.services import CITED
from scoring.measures.names import Measure
from scoring.measures.offered import known_measures
from scoring.measures.profiles import profile_of, usual_profile
from scoring.systems.lists import system_lists
from web.errors import UserFacingError

MOST_COMPARED = 20_000  # pairs; of more, whole queries are drawn at random


class NothingToCompare(UserFacingError):
    """No query is finished, so no plan can be compared."""


class UnknownPlanMeasure(UserFacingError):
    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f'Unknown measure "{name}". Use one of: {", ".join(known)}.')


class UnknownPlanFacet(UserFacingError):
    def __init__(self, name: str, known: Iterable[str]) -> None:
        facets = ", ".join(known) or "none"
        super().__init__(f'Unknown facet "{name}". Facets of this collection: {facets}.')


@dataclass(frozen=True)
class FinishedPairs:
    """The pairs that can be compared. `queries` of `finished` were read, `left_out` pairs not.

    A query is finished if both judges have answered each of its pairs and every case is decided:
    of an unfinished one, the pairs on which both agree would come first. A pair without a grade of
    both judges and a final label is left out, and so is a query paper in its own pool.
    """

    pairs: list[LabelledPair]
    queries: int
    finished: int
    left_out: int


@dataclass(frozen=True)
class ComparedCollection:
    """The arguments of `compare_plans`, and what a report says about them."""

    columns: PairColumns
    ranking: SystemsUnderLabels
    finished: FinishedPairs
    model: str
    measure: Measure


def measure_of_plans(collection: Collection, name: str = "") -> Measure:
    """The measure of this name, or the leaderboard's usual one. Raises UnknownPlanMeasure.

    Only measures that Qrelsmith computes itself, because thousands of rankings are scored.
    """
    facets = collection.facets.values_list("key", flat=True)
    usual = profile_of(usual_profile(facets), collection.relevant_from).main_measure
    known = {
        offered.key: offered.measure
        for offered in known_measures(collection.relevant_from)
        if offered.measure.compute is not None and not offered.key.startswith(("Judged", "inf"))
    }
    if (name or usual) not in known:
        raise UnknownPlanMeasure(name, known)
    return known[name or usual]


def read_compared(
    collection: Collection, *, model: str = "", measure: str = "", facet: str = ""
) -> ComparedCollection:
    """Read the finished queries, the model's scores and all systems' lists.

    The system that is the model is not among the systems that are ranked: labels that follow it
    would favour it.

    Raises UnknownModel, UnknownPlanMeasure, UnknownPlanFacet and NothingToCompare.
    """
    chosen = measure_of_plans(collection, measure)
    key = checked_model(collection, model)
    finished = finished_pairs(collection, facet)
    keys = [(pair.query, pair.docno) for pair in finished.pairs]
    scores = model_scores(collection, key, docnos_by_query(keys))
    ranking = system_ranking(collection, keys, key, chosen)
    columns = PairColumns(
        [
            JudgedTwice(
                pair.query,
                pair.docno,
                _grade(pair.first),
                _grade(pair.second),
                _grade(pair.final),
                scores[pair.query, pair.docno],
            )
            for pair in finished.pairs
        ],
        highest=collection.highest_grade,
        relevant_from=collection.relevant_from,
        best_rank=ranking.best_rank,
    )
    return ComparedCollection(columns, ranking, finished, key, chosen)


def docnos_by_query(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    docnos: dict[str, list[str]] = defaultdict(list)
    for query, docno in pairs:
        docnos[query].append(docno)
    return docnos


def system_ranking(
    collection: Collection, pairs: Sequence[tuple[str, str]], model: str, measure: Measure
) -> SystemsUnderLabels:
    """All systems but the one that is the model, and the sources of the pools as `pool:SOURCE`."""
    named = [
        (system.name, system_lists(system))
        for system in ranking_systems(collection)
        if system.name != model
    ]
    taken = {model, CITED, *(name for name, _ in named)}
    sources = _lists_of_sources(collection, {query for query, _ in pairs})
    pooled = [(f"pool:{name}", sources[name]) for name in sorted(sources.keys() - taken)]
    return SystemsUnderLabels(pairs, [*named, *pooled], measure)


def finished_pairs(collection: Collection, facet: str = "") -> FinishedPairs:
    """The usable pairs of the finished queries of a facet, or of all.

    Raises UnknownPlanFacet, and NothingToCompare if there is none.
    """
    facets = list(collection.facets.values_list("key", flat=True))
    if facet and facet not in facets:
        raise UnknownPlanFacet(facet, facets)
    sizes = dict(finished_queries(collection, facet).values_list("query__name", "total"))
    own = dict(collection.queries.values_list("name", "query_paper__document__docno"))
    chosen = list(_fitting(collection.seed, sizes))
    pairs = []
    read = 0
    for pair in labelled_pairs(collection, Pair.objects.filter(query__name__in=chosen)):
        read += 1
        has_grades = None not in (pair.first, pair.second, pair.final)
        if has_grades and pair.docno != own[pair.query]:
            pairs.append(pair)
    if not pairs:
        raise NothingToCompare(
            f"No query of {collection.slug} is finished, so there is nothing to compare. Two "
            "people must judge all pairs of a query, and every case of it must be decided."
        )
    return FinishedPairs(pairs, len(chosen), len(sizes), read - len(pairs))


def finished_queries(collection: Collection, facet: str = "") -> QuerySet[PairCount]:
    """The counts of the finished queries, which triggers keep."""
    # An annotation, because in a filter alone the join leaves out queries that never had a case.
    counts = PairCount.objects.annotate(settled=Coalesce("query__case_count__settled", 0)).filter(
        query__collection=collection, total__gt=0, judged=F("total"), disputed=F("settled")
    )
    return counts.filter(query__facet__key=facet) if facet else counts


def _fitting(seed: str, sizes: Mapping[str, int]) -> Iterator[str]:
    """Queries in random order, while they have at most MOST_COMPARED pairs; at least one."""
    total = 0
    for query in shuffled(sizes, seed=seed, purpose=PURPOSE, query="sample"):
        total += sizes[query]
        if total > MOST_COMPARED and total != sizes[query]:
            return
        yield query


def _grade(grade: int | None) -> int:
    assert grade is not None, "finished pairs have all three grades"
    return grade


def _lists_of_sources(
    collection: Collection, queries: Group[str]
) -> dict[str, list[tuple[str, list[str]]]]:
    """The lists of each source of the pools, by source: (query, docnos best first)."""
    rows = collection.queries.filter(name__in=queries).values_list(
        "name", "query_paper_id", "query_paper__document__docno"
    )
    lists: dict[str, list[tuple[str, list[str]]]] = defaultdict(list)
    for query, paper, own in rows:
        for source, docnos in lists_of_sources(paper).items():
            lists[source].append((query, [docno for docno in docnos if docno != own]))
    return lists
