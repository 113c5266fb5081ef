"""The report on the pools of a collection, as JSON types. Reads the database and writes nothing.

Everything is over the queries with a final label. Scores are over those with a relevant document.
"""

from __future__ import annotations

from collections.abc import Collection as Group
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from accounts.models import Collection
from adjudication.retriever_yield import Yield, yields
from evaluation.pool_bias.computation.growth import expected_in_all, found_by_size, growth_of
from evaluation.pool_bias.computation.leave_out import (
    DRAWN,
    REDRAWN,
    UNIQUE,
    ScoredSystems,
    drawn_documents,
    unique_documents,
)
from evaluation.pool_bias.computation.reduced_scores import (
    SourcedLabels,
    UnreducedScores,
    UpperBounds,
    system_scores,
)
from evaluation.pool_bias.computation.report_measures import (
    DEPTH,
    MAIN,
    ScopedRanks,
    bounds_of,
    is_closed,
    measures_for,
)
from evaluation.pool_bias.computation.sourced_pools import (
    Qrels,
    SourcedPool,
    grades_by_pair,
    source_candidates,
    sources_of,
)
from evaluation.pool_bias.computation.statement import statement
from evaluation.pool_bias.computation.support import (
    Support,
    detectable_difference,
    pools_are_closed,
    reaching,
    sources_as_systems,
    support_of,
)
from evaluation.pool_bias.reading import sourced_pools
from evaluation.pool_bias.redraw import Redrawing, SourceGroup, redraw
from evaluation.pool_bias.reusability import families_of, new_systems, prediction_payload
from jobs.context import JobContext
from pooling.models import Pool
from scoring.labels import final_labels_of_pools, qrels_of
from scoring.measures.judged_ranks import Floats
from scoring.models import System
from scoring.systems.lists import system_lists
from web.errors import UserFacingError

EXAMPLES = 5  # query papers that a reason names


class PoolBiasError(UserFacingError):
    """A report cannot be computed; the message is for the person who asked."""


def check_group(pools: Iterable[SourcedPool], group: SourceGroup) -> None:
    """Raises PoolBiasError for a name that is not a source of the pools."""
    sources = sources_of(pools)
    if unknown := sorted(set(group) - set(sources)):
        raise PoolBiasError(
            f'"{unknown[0]}" is not a source of the pools. Use: {", ".join(sources)}.'
        )


def report_payload(
    collection: Collection, leave_out: Sequence[str], work: JobContext
) -> dict[str, object]:
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
    families = families_of(collection, sources_of(pools))
    several = [family for family in families.values() if len(family) > 1 and family not in groups]
    redrawing = redraw(collection, [*groups, *several], work)
    systems = _Systems(collection, pools, SourcedLabels(qrels, relevant_from, highest), work)
    payload: dict[str, object] = {
        "collection": collection.slug,
        "relevant_from": relevant_from,
        "highest": highest,
        "labels": sum(map(len, qrels.values())),
        "leave_out": list(group),
        "sources": _sources(pools, qrels, relevant_from),
        "measures": [
            {
                "name": measure.name,
                "description": measure.description,
                "closed": is_closed(measure),
            }
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
        "reusability": _reusability(systems, pools, families, redrawing, collection.seed),
    }
    payload["statement"] = _statement_facts(collection, payload, systems)
    payload["paragraph"] = statement(payload)
    return payload


class _Systems:
    """The systems with a list for a scored query, scored with all labels."""

    def __init__(
        self,
        collection: Collection,
        pools: Sequence[SourcedPool],
        labels: SourcedLabels,
        work: JobContext,
    ) -> None:
        self.labels = labels
        facets = collection.facets.values_list("key", flat=True)
        self.measures = measures_for(collection.relevant_from, facets)
        self.scores: dict[str, UnreducedScores] = {}
        self.ranks: dict[str, ScopedRanks] = {}
        self.kinds: dict[str, str] = {}
        self.without_lists: list[str] = []
        pooled = {query: set(pool.docnos) for pool in pools for query in pool.queries}
        systems = list(collection.systems.order_by("name"))
        for number, system in enumerate(systems, start=1):
            self._score(system, pooled)
            work.progress(number, len(systems), "systems scored")

    def _score(self, system: System, pooled: Mapping[str, Group[str]]) -> None:
        upper = UpperBounds(self.labels, bounds_of(self.measures), pooled)
        given = self.labels.ranks_of(upper.reading(system_lists(system)))
        if not given.has_list.any():
            self.without_lists.append(system.name)
            return
        ranks = ScopedRanks.of(given)
        self.kinds[system.name] = system.kind
        self.ranks[system.name] = ranks
        self.scores[system.name] = system_scores(self.labels, ranks, self.measures, upper)

    @property
    def as_scored(self) -> ScoredSystems:
        per_query = {name: scores.per_query for name, scores in self.scores.items()}
        return ScoredSystems(self.labels, self.ranks, per_query, self.measures)

    @property
    def from_whole_corpus(self) -> set[str]:
        """The systems with a document outside the pools; the others only rank the pools again."""
        return {name for name, scores in self.scores.items() if scores.leaves_pools}

    def as_json(self, name: str) -> dict[str, object]:
        scores = self.scores[name]
        return {
            "system": name,
            "kind": self.kinds[name],
            "judged": {str(k): share for k, share in scores.judged.items()},
            "without_list": scores.without_list,
            "leaves_pools": scores.leaves_pools,
            "measures": {name: values._asdict() for name, values in scores.values.items()},
        }

    def per_query(self, measure: str) -> dict[str, Floats]:
        return {name: scores.per_query[measure] for name, scores in self.scores.items()}


def _sources(
    pools: Sequence[SourcedPool], qrels: Qrels, relevant_from: int
) -> list[dict[str, object]]:
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
) -> list[dict[str, object]]:
    scored = systems.as_scored
    rows: list[dict[str, object]] = []
    for number, group in enumerate(groups, start=1):
        redrawn = redrawing.by_group[group]
        rows.append(
            {
                "sources": list(group),
                UNIQUE: scored.without(unique_documents(pools, group), pools, group),
                DRAWN: scored.without(drawn_documents(pools, group), pools, group),
                REDRAWN: {
                    **scored.without(redrawn.dropped, pools, group),
                    "documents": sum(map(len, redrawn.dropped.values())),
                    "new": sum(map(len, redrawn.new.values())),
                }
                if redrawing.papers
                else None,
            }
        )
        work.progress(number, len(groups), "sources left out")
    return rows


def _reusability(
    systems: _Systems,
    pools: Sequence[SourcedPool],
    families: Mapping[str, SourceGroup],
    redrawing: Redrawing,
    seed: str,
) -> dict[str, object]:
    """The sources that retrieve from the whole corpus as if they were new systems.

    Pools are drawn again if all of them can be. Otherwise a source loses what only it found: other
    sources would have drawn some other documents, too, which is not known.
    """
    is_redrawn = bool(redrawing.papers) and not redrawing.kept

    def dropped(group: SourceGroup) -> Mapping[str, Group[str]]:
        return redrawing.by_group[group].dropped if is_redrawn else unique_documents(pools, group)

    def prediction(groups: Mapping[str, SourceGroup]) -> dict[str, object] | None:
        rows = (
            new_systems(
                name, group, systems.from_whole_corpus, systems.as_scored, dropped(group), pools
            )
            for name, group in groups.items()
        )
        return prediction_payload(rows, seed)

    return {
        "depth": DEPTH,
        "measure": MAIN,
        "way": REDRAWN if is_redrawn else UNIQUE,
        "by_source": prediction({source: (source,) for source in sources_of(pools)}),
        "by_family": prediction(families) if len(families) > 1 else None,
    }


def _growth(pools: Sequence[SourcedPool], qrels: Qrels, relevant_from: int) -> dict[str, object]:
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
) -> dict[str, object]:
    labelled, pairs = final_labels_of_pools(collection)
    detectable = detectable_difference(systems.per_query(MAIN))
    queries = len(systems.labels.queries)
    # Pools that are drawn again lack what they would lack without the source. If some cannot be
    # drawn again, all that the source drew is more than that.
    most = DRAWN if payload["not_redrawn"] else REDRAWN
    support = support_of(
        list(sources_as_systems(payload["left_out"], systems.from_whole_corpus, most)),
        queries=queries,
        detectable=detectable,
        closed=pools_are_closed(labelled, pairs),
    )
    return {
        "depth": DEPTH,
        "measure": MAIN,
        "queries": queries,
        "pairs": pairs,
        "labelled": labelled,
        "sampled": Pool.with_hidden.sampled().filter(query_paper__collection=collection).count(),
        "systems": len(systems.scores),
        "whole_corpus": len(systems.from_whole_corpus),
        "support": _support_as_json(support),
        "reaching": reaching(
            [systems.scores[name].judged[DEPTH] for name in systems.from_whole_corpus],
            support.judged,
        ),
        "detectable": detectable.value,
        "detectable_undefined": detectable.undefined,
        "reusability": {
            name: each and {key: each[key] for key in ("judged", "change")}
            for name in ("by_source", "by_family")
            for each in [payload["reusability"][name]]
        },
    }


def _support_as_json(support: Support) -> dict[str, object]:
    worst = support.worst and {
        **support.worst._asdict(),
        "fewest": support.worst.fewest._asdict(),
        "most": support.worst.most._asdict(),
    }
    return {**support._asdict(), "reasons": list(support.reasons), "worst": worst}
