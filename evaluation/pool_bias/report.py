"""The report on the pools of a collection, as JSON types. Reads the database and writes nothing.

Everything is over the queries with a final label. Scores are over those with a relevant document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np
from django.db.models import Sum

from accounts.models import Collection
from adjudication.retriever_yield import Yield, yields
from agreement.coefficients import Result
from annotation.models import PairCount
from evaluation.labels import qrels_of
from evaluation.measures import Measure, parse_measures
from evaluation.measures.computations import precision
from evaluation.measures.judged_ranks import Floats, JudgedRanks
from evaluation.pool_bias.bounds import BoundedMeasure
from evaluation.pool_bias.growth import expected_in_all, found_by_size, growth_of
from evaluation.pool_bias.leave_out import (
    REDRAWN,
    UNIQUE,
    ScoredSystems,
    unique_documents,
)
from evaluation.pool_bias.reading import sourced_pools
from evaluation.pool_bias.redraw import Redrawing, SourceGroup, redraw
from evaluation.pool_bias.reduced_scores import Labels, SystemScores, UpperBounds, system_scores
from evaluation.pool_bias.sourced_pools import (
    Qrels,
    SourcedPool,
    grades_by_pair,
    source_candidates,
    sources_of,
)
from evaluation.pool_bias.statement import LeftOut, Limit, is_closed, judged_limit, statement
from evaluation.statistics.paired import smallest_difference
from evaluation.systems.lists import system_lists
from jobs.context import JobContext
from pooling.models import Pool
from web.errors import UserFacingError

DEPTH = 20  # of judged@k in the statement
MAIN = f"nDCG@{DEPTH}"
EXAMPLES = 5  # query papers that a reason names


class PoolBiasError(UserFacingError):
    """A report cannot be computed; the message is for the person who asked."""


def measures_for(relevant_from: int) -> list[Measure]:
    """The measures of a report, the main one first. All of them have an upper bound."""
    rel = f"(rel={relevant_from})"
    return parse_measures(f"{MAIN} nDCG@10 AP{rel} P{rel}@{DEPTH} RBP(p=0.8,rel={relevant_from})")


def check_group(pools: Iterable[SourcedPool], group: SourceGroup) -> None:
    """Raises PoolBiasError for a name that is not a source of the pools."""
    sources = sources_of(pools)
    if unknown := sorted(set(group) - set(sources)):
        raise PoolBiasError(
            f'"{unknown[0]}" is not a source of the pools. Use: {", ".join(sources)}.'
        )


def report_payload(
    collection: Collection, leave_out: Sequence[str], work: JobContext
) -> dict[str, Any]:
    """Everything that the page, the command and the README show.

    Raises PoolBiasError without pools or final labels, and for an unknown source in `leave_out`.
    """
    pools = sourced_pools(collection)
    qrels = qrels_of(collection)
    if not pools or not qrels:
        missing = "pool" if not pools else "final label"
        raise PoolBiasError(
            f"{collection.slug} has no {missing} yet. Judge the pools first, or import judgments."
        )
    group = tuple(sorted(set(leave_out)))
    check_group(pools, group)
    relevant_from, highest = collection.relevant_from, max(collection.grades)
    groups: list[SourceGroup] = [(source,) for source in sources_of(pools)]
    groups += [group] if len(group) > 1 else []
    work.progress(0, None, "drawing pools again")
    redrawing = redraw(collection, groups, work)
    systems = _Systems(collection, Labels(qrels, relevant_from, highest), work)
    payload: dict[str, Any] = {
        "collection": collection.slug,
        "relevant_from": relevant_from,
        "highest": highest,
        "labels": sum(map(len, qrels.values())),
        "leave_out": list(group),
        "sources": _sources(pools, qrels, relevant_from),
        "measures": [
            {"name": measure.name, "description": measure.description}
            for measure in systems.measures
        ],
        "systems": [systems.as_json(name) for name in systems.scores],
        "without_lists": systems.without_lists,
        "left_out": _left_out(systems, pools, groups, redrawing, work),
        "not_redrawn": [
            {"reason": reason, "pools": len(papers), "examples": sorted(papers)[:EXAMPLES]}
            for reason, papers in sorted(redrawing.kept.items())
        ],
        "redrawn": len(redrawing.papers),
        "growth": _growth(pools, qrels, relevant_from),
    }
    payload["statement"] = _statement_facts(collection, payload, systems)
    payload["paragraph"] = statement(payload)
    return payload


class _Systems:
    """The systems with a list for a scored query, scored with all labels."""

    def __init__(self, collection: Collection, labels: Labels, work: JobContext) -> None:
        self.labels = labels
        self.measures = measures_for(collection.relevant_from)
        bounds = {measure.name: BoundedMeasure.of(measure.name) for measure in self.measures}
        self.scores: dict[str, SystemScores] = {}
        self.ranks: dict[str, JudgedRanks] = {}
        self.kinds: dict[str, str] = {}
        self.without_lists: list[str] = []
        systems = list(collection.systems.order_by("name"))
        for number, system in enumerate(systems, start=1):
            upper = UpperBounds(labels, bounds)
            ranks = labels.ranks_of(upper.reading(system_lists(system)))
            if not ranks.has_list.any():
                self.without_lists.append(system.name)
                continue
            self.kinds[system.name] = system.kind
            self.ranks[system.name] = ranks
            self.scores[system.name] = system_scores(labels, ranks, self.measures, upper)
            work.progress(number, len(systems), "systems scored")

    def as_json(self, name: str) -> dict[str, Any]:
        scores = self.scores[name]
        return {
            "system": name,
            "kind": self.kinds[name],
            "judged": {str(k): share for k, share in scores.judged.items()},
            "without_list": scores.without_list,
            "measures": {name: values._asdict() for name, values in scores.values.items()},
        }

    def per_query(self, measure: str) -> dict[str, Floats]:
        return {name: scores.per_query[measure] for name, scores in self.scores.items()}

    def detectable(self, values: Mapping[str, Floats]) -> Result:
        """The median of the smallest detectable differences over all pairs of systems."""
        results = [
            smallest_difference([float(value) for value in both[~np.isnan(both)]])
            for first, second in combinations(sorted(values), 2)
            for both in [values[first] - values[second]]
            if (~np.isnan(both)).any()
        ]
        defined = [result.value for result in results if result.value is not None]
        if defined:
            return Result(float(median(defined)))
        return Result(None, results[0].undefined if results else "there are fewer than two systems")

    def precisions(self) -> dict[str, Floats]:
        """P@k at the depth of the statement, by system and query."""
        least = min(measure.least for measure in self.measures if measure.name.startswith("AP"))
        return {
            name: precision(self.labels.graded(ranks), DEPTH, least)
            for name, ranks in self.ranks.items()
        }


def _sources(
    pools: Sequence[SourcedPool], qrels: Qrels, relevant_from: int
) -> list[dict[str, Any]]:
    rows: list[Yield] = yields(
        source_candidates(pools), grades_by_pair(pools, qrels), relevant_from=relevant_from
    )
    return [row._asdict() for row in rows]


def _left_out(
    systems: _Systems,
    pools: Sequence[SourcedPool],
    groups: Sequence[SourceGroup],
    redrawing: Redrawing,
    work: JobContext,
) -> list[dict[str, Any]]:
    scored = ScoredSystems(
        systems.labels,
        systems.ranks,
        {measure.name: systems.per_query(measure.name) for measure in systems.measures},
        systems.measures,
        min(measure.least for measure in systems.measures if measure.name.startswith("AP")),
    )
    rows = []
    for number, group in enumerate(groups, start=1):
        redrawn = redrawing.by_group[group]
        rows.append(
            {
                "sources": list(group),
                UNIQUE: scored.without(unique_documents(pools, group), pools, group, DEPTH),
                REDRAWN: {
                    **scored.without(redrawn.dropped, pools, group, DEPTH),
                    "documents": sum(map(len, redrawn.dropped.values())),
                    "new": sum(map(len, redrawn.new.values())),
                }
                if redrawing.papers
                else None,
            }
        )
        work.progress(number, len(groups), "sources left out")
    return rows


def _growth(pools: Sequence[SourcedPool], qrels: Qrels, relevant_from: int) -> dict[str, Any]:
    rows = growth_of(pools, qrels, relevant_from)
    expected = expected_in_all(rows)
    return {
        "found": found_by_size(rows),
        "queries": [
            {
                **row._asdict(),
                "relevant": row.relevant,
                "expected": row.expected and row.expected._asdict(),
            }
            for row in rows
        ],
        "expected": expected and expected._asdict(),
    }


def _statement_facts(
    collection: Collection, payload: Mapping[str, Any], systems: _Systems
) -> dict[str, Any]:
    detectable = systems.detectable(systems.per_query(MAIN))
    in_precision = systems.detectable(systems.precisions())
    limit = judged_limit(list(_sources_as_systems(payload)), detectable.value, in_precision.value)
    judged = [row["judged"][str(DEPTH)] for row in payload["systems"]]
    counts = PairCount.objects.filter(query__collection=collection).aggregate(pairs=Sum("total"))
    pairs = counts["pairs"] or 0
    if not is_closed(payload["labels"], pairs):
        limit = Limit(None, "its pools are not judged completely")
    return {
        "depth": DEPTH,
        "measure": MAIN,
        "queries": len(systems.labels.queries),
        "pairs": pairs,
        "labelled": payload["labels"],
        "sampled": Pool.with_hidden.sampled().filter(query_paper__collection=collection).count(),
        "systems": len(systems.scores),
        "limit": limit._asdict(),
        "reaching": sum(
            share is not None and limit.value is not None and share >= limit.value
            for share in judged
        ),
        "detectable": detectable.value,
        "detectable_undefined": detectable.undefined,
        "detectable_precision": in_precision.value,
    }


def _sources_as_systems(payload: Mapping[str, Any]) -> Iterator[LeftOut]:
    """Each source that is a system, with what is left after it is left out alone."""
    for row in payload["left_out"]:
        if len(row["sources"]) > 1:
            continue
        way = row[REDRAWN] or row[UNIQUE]
        for system in way["measures"][MAIN]["systems"]:
            judged = way["judged"].get(system["system"])
            if system["is_left_out"] and judged is not None:
                change = system["reduced_score"] - system["score"]
                yield LeftOut(system["system"], judged, change)
