"""The report on the gaps of systems, as JSON types. Reads the database and writes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from accounts.models import Collection
from evaluation.gaps.computation.conclusions import Conclusion
from evaluation.gaps.computation.decisive import decisive
from evaluation.gaps.computation.judged_later import (
    MOST_EXACT,
    BoundedScore,
    JudgedLater,
    MeasureResult,
)
from evaluation.gaps.computation.means import MeanRange
from evaluation.gaps.measures import GapMeasure, report_measures
from evaluation.gaps.reading import query_papers, read_lists
from jobs.context import JobContext
from scoring.labels import qrels_of, query_facets
from scoring.score_tables import ALL
from web.errors import UserFacingError

MOST_DECISIVE = 5_000  # pairs of systems × queries with open documents: some 20 seconds


class GapsError(UserFacingError):
    """A report cannot be computed; the message is for the person who asked."""


def report_payload(
    collection: Collection, depth: int, chosen: Sequence[str], work: JobContext
) -> dict[str, Any]:
    """`chosen` are the systems whose gaps are judged; none for all.

    Raises GapsError without final labels or systems, and for an unknown system.
    """
    systems = list(collection.systems.order_by("name"))
    names = [system.name for system in systems]
    if not names or not qrels_of(collection):
        missing = "final label" if names else "system"
        raise GapsError(f"{collection.slug} has no {missing} yet. Score the systems first.")
    check_systems(chosen, names)
    gaps_of = list(chosen) or names
    lists = read_lists(collection, systems, gaps_of, depth, work=work)
    later = JudgedLater(lists, gaps_of, _groups(collection, lists.names))
    measures = report_measures(collection.relevant_from, depth)
    results: dict[str, MeasureResult] = {}
    budget = MOST_EXACT
    for number, each in enumerate(measures):

        def report(done: int, total: int, number: int = number) -> None:
            of_all = len(measures) * total
            work.progress(number * total + done, of_all, "systems bounded, by each measure")

        results[each.name], budget = later.result(each.bounded, budget, report)
    sizes = {name: row.tolist() for name, row in lists.gap_sizes().items() if name in gaps_of}
    return {
        "collection": collection.slug,
        "depth": depth,
        "relevant_from": collection.relevant_from,
        "queries": len(lists.names),
        "chosen": gaps_of,
        "pairs": later.pairs,
        "shared": later.shared,
        "facets": list(later.groups),
        "measures": [
            {
                "name": each.name,
                "description": each.measure.description,
                "exact_differences": each.has_exact_differences,
            }
            for each in measures
        ],
        "systems": [
            {
                "system": system.name,
                "kind": system.kind,
                "listed": lists.listed(system.name),
                "unjudged": sum(sizes[system.name]) if system.name in sizes else None,
                "scores": {
                    facet: {
                        name: _score(result.scores[facet][system.name], system.name in sizes)
                        for name, result in results.items()
                    }
                    for facet in later.groups
                },
            }
            for system in systems
        ],
        "orders": {
            name: [
                {
                    "first": order.first,
                    "second": order.second,
                    **order.difference._asdict(),
                    "is_exact": order.is_exact,
                }
                for order in result.orders
            ]
            for name, result in results.items()
        },
        "decisive": _decisive(collection, later, measures, results),
        "query_names": lists.names,
        "by_query": sizes,
    }


def summary_of(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The part for the page of a system: all but the queries and the pairs of systems."""
    return {
        "measures": [measure["name"] for measure in payload["measures"]],
        "systems": {row["system"]: row for row in payload["systems"]},
    }


def check_systems(chosen: Sequence[str], names: Sequence[str]) -> None:
    """Raises GapsError for a name that is not a system."""
    if unknown := sorted(set(chosen) - set(names)):
        raise GapsError(f'"{unknown[0]}" is not a system. Use: {", ".join(names)}.')


def _groups(collection: Collection, names: Sequence[str]) -> dict[str, list[int]]:
    facets = query_facets(collection)
    groups = {ALL: list(range(len(names)))}
    for key in collection.facets.values_list("key", flat=True):
        places = [place for place, name in enumerate(names) if facets[name] == key]
        if key and places:
            groups[key] = places
    return groups


def _score(score: BoundedScore, is_chosen: bool) -> dict[str, Any]:
    """`low` and `high`: if its own gap is judged; None if it is not chosen. `joint`: if all are."""
    return {
        **(score.own if is_chosen else MeanRange(None, score.own.value, None))._asdict(),
        "joint": [score.joint.low, score.joint.high],
        "rank": list(score.place),
    }


def _decisive(
    collection: Collection,
    later: JudgedLater,
    measures: Sequence[GapMeasure],
    results: Mapping[str, MeasureResult],
) -> dict[str, Any]:
    """The documents to judge so that the rest changes none of the open orders by the first measure.

    The closest orders are taken, as many as the limit allows.
    """
    main = measures[0]
    orders = results[main.name].orders
    lists = later.lists
    papers = query_papers(collection)
    size = sum(lists.open_count(place) > 0 for place in range(len(lists.names)))
    taken = orders[: MOST_DECISIVE // size] if size else []
    names = {name for order in taken for name in (order.first, order.second)}
    queries = [lists.query(place, papers, names) for place in range(len(lists.names))]
    conclusions = [Conclusion(order.first, order.second, main.name) for order in taken]
    return {
        "measure": main.name,
        "orders": len(taken),
        "documents": decisive(queries, {main.name: main.bounded}, conclusions),
    }
