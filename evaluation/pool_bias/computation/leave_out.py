"""The systems with the labels that remain when sources are left out. Pure.

There are three ways:

- `UNIQUE` drops the labels of documents that no other source found (Zobel 1998, "How reliable are
  the results of large-scale information retrieval experiments?"). It drops the fewest labels.
- `DRAWN` drops the labels of all documents that the sources drew, also of those that others found.
- `REDRAWN` keeps the labels of the documents in the pools that are drawn without the sources; the
  other sources then draw some of the same documents, and the strategy decides which. Documents that
  are only in the new pools were not judged, and so they stay without a label.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.pool_bias.computation.effects import effects, ranking_correlation
from evaluation.pool_bias.computation.reduced_scores import (
    ReducedLabels,
    ReducedValues,
    SourcedLabels,
    mean_over,
    reduced_judged_share,
    reduced_values,
)
from evaluation.pool_bias.computation.report_measures import DEPTH, MAIN, ScopedRanks
from evaluation.pool_bias.computation.sourced_pools import SourcedPool
from scoring.measures import Measure
from scoring.measures.computations import judged_share
from scoring.measures.judged_ranks import Floats
from scoring.statistics.paired import SAME, mean_interval

UNIQUE, DRAWN, REDRAWN = "unique", "drawn", "redrawn"
Dropped = Mapping[str, Collection[str]]  # by query paper


@dataclass(frozen=True)
class ScoredSystems:
    """The systems with all labels: ranks of the labelled documents, and values by query.

    `per_query` is by system, then measure.
    """

    labels: SourcedLabels
    ranks: Mapping[str, ScopedRanks]
    per_query: Mapping[str, Mapping[str, Floats]]
    measures: Sequence[Measure]

    def without(
        self, dropped: Dropped, pools: Sequence[SourcedPool], group: Collection[str]
    ) -> dict[str, object]:
        """The payload of one way to leave the group out.

        `queries` keep a relevant document, and `lost` have none any more. All values are means
        over the first. `own` has what becomes of the systems that are themselves in the group.
        """
        reduced = self.labels.without(by_query(dropped, pools))
        values = {
            name: reduced_values(reduced, ranks, self.measures)
            for name, ranks in self.ranks.items()
        }
        kept = reduced.keeps_relevant
        return {
            "labels": reduced.dropped,
            "relevant": reduced.dropped_relevant,
            "queries": int(kept.sum()),
            "lost": int((~kept).sum()),
            "own": {
                name: self._own(reduced, name, values[name]) for name in self.ranks if name in group
            },
            "measures": {
                measure.name: self._measure(reduced, measure.name, values, group)
                for measure in self.measures
            },
        }

    def as_new_systems(
        self, names: Sequence[str], dropped: Dropped, pools: Sequence[SourcedPool]
    ) -> tuple[dict[str, float], dict[str, float], list[int]]:
        """These systems when the labels are dropped: two means by query, and the ranks they fall.

        The first mean is of judged@k, over the systems that have a list for the query. The second
        is of the change of the main measure: see `_own`. Ranks are among all systems.
        """
        reduced = self.labels.without(by_query(dropped, pools))
        main = [measure for measure in self.measures if measure.name == MAIN]
        left = {
            name: np.where(
                reduced.keeps_relevant, reduced_values(reduced, ranks, main).standard[MAIN], 0.0
            )
            for name, ranks in self.ranks.items()
        }
        shares = np.array([self._judged(reduced, name) for name in names])
        changes = np.array([left[name] - self.per_query[name][MAIN] for name in names])
        queries = self.labels.queries
        has_list = ~np.isnan(shares).all(axis=0)
        judged = {
            query: float(np.nanmean(shares[:, place]))
            for place, query in enumerate(queries)
            if has_list[place]
        }
        full = {name: mean_over(self.per_query[name][MAIN]) for name in self.ranks}
        lower = {name: mean_over(values) for name, values in left.items()}
        ranks = [_rank(lower, name) - _rank(full, name) for name in names]
        return judged, dict(zip(queries, map(float, changes.mean(axis=0)), strict=True)), ranks

    def _judged(self, reduced: ReducedLabels, name: str) -> Floats:
        """judged@k by query, NaN for one without a list."""
        graded = reduced.graded(self.ranks[name].given)
        shares: Floats = np.where(graded.has_list, judged_share(graded, DEPTH), np.nan)
        return shares

    def _own(self, reduced: ReducedLabels, name: str, values: ReducedValues) -> dict[str, object]:
        """The judged@k and the change of the main measure of a source that is a system.

        The change is over all queries. One that has no relevant document left counts as 0 then,
        because leaving it out would hide the largest losses.
        """
        left = np.where(reduced.keeps_relevant, values.standard[MAIN], 0.0)
        differences = left - self.per_query[name][MAIN]
        change = mean_interval([float(difference) for difference in differences])
        return {
            "judged": reduced_judged_share(reduced, self.ranks[name].given, DEPTH),
            "score": mean_over(self.per_query[name][MAIN]),
            "change": change.value,
            "low": change.low,
            "high": change.high,
        }

    def _measure(
        self,
        reduced: ReducedLabels,
        name: str,
        values: Mapping[str, ReducedValues],
        group: Collection[str],
    ) -> dict[str, object]:
        def means(of: Callable[[str], Floats]) -> dict[str, float]:
            return {system: mean_over(of(system), reduced.keeps_relevant) for system in self.ranks}

        full = means(lambda system: self.per_query[system][name])
        standard = means(lambda system: values[system].standard[name])
        condensed = means(lambda system: values[system].condensed[name])
        correlation = ranking_correlation(full, standard)
        return {
            "tau": correlation.value,
            "undefined": correlation.undefined,
            "systems": [row._asdict() for row in effects(full, standard, condensed, group)],
        }


def _rank(scores: Mapping[str, float], name: str) -> int:
    return 1 + sum(score > scores[name] + SAME for score in scores.values())


def unique_documents(pools: Iterable[SourcedPool], group: Collection[str]) -> dict[str, set[str]]:
    """By query paper, the documents that no source outside the group found."""
    found = {pool.paper: pool.only_found_by(group) for pool in pools}
    return {paper: docnos for paper, docnos in found.items() if docnos}


def drawn_documents(pools: Iterable[SourcedPool], group: Collection[str]) -> dict[str, set[str]]:
    """By query paper, the documents that a source of the group drew."""
    drawn = {pool.paper: pool.drawn_by(group) for pool in pools}
    return {paper: docnos for paper, docnos in drawn.items() if docnos}


def by_query(dropped: Dropped, pools: Iterable[SourcedPool]) -> dict[str, Collection[str]]:
    """A pool belongs to all queries of its paper."""
    return {
        query: dropped[pool.paper]
        for pool in pools
        if pool.paper in dropped
        for query in pool.queries
    }
