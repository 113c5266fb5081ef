"""The systems with the labels that remain when sources are left out. Pure.

There are two ways. `UNIQUE` drops the labels of documents that no other source found (Zobel 1998,
"How reliable are the results of large-scale information retrieval experiments?"). `REDRAWN` keeps
the labels of the documents in the pools that are drawn without the sources; the other sources then
draw some of the same documents, and the strategy decides which. Documents that are only in the new
pools were not judged, and so they stay without a label.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.measures import Measure
from evaluation.measures.judged_ranks import Floats, JudgedRanks
from evaluation.pool_bias.effects import effects, ranking_correlation
from evaluation.pool_bias.reduced_scores import Labels, reduced_judged_shares, reduced_means
from evaluation.pool_bias.sourced_pools import SourcedPool

UNIQUE, REDRAWN = "unique", "redrawn"
Dropped = Mapping[str, Collection[str]]  # by query paper


@dataclass(frozen=True)
class ScoredSystems:
    """The systems with all labels: ranks of the labelled documents, and values by measure."""

    labels: Labels
    ranks: Mapping[str, JudgedRanks]
    per_query: Mapping[str, Mapping[str, Floats]]  # by measure, then system
    measures: Sequence[Measure]
    relevant_from: int

    def without(
        self, dropped: Dropped, pools: Sequence[SourcedPool], group: Collection[str], depth: int
    ) -> dict[str, Any]:
        """The payload of one way to leave the group out.

        `judged` is judged@`depth` of the systems that are themselves in the group.
        """
        reduced = self.labels.without(by_query(dropped, pools))
        own = {name: ranks for name, ranks in self.ranks.items() if name in group}
        return {
            "labels": reduced.dropped,
            "relevant": reduced.dropped_relevant(self.relevant_from),
            "judged": reduced_judged_shares(reduced, own, depth),
            "measures": {
                measure.name: self._measure(reduced, measure, group) for measure in self.measures
            },
        }

    def _measure(self, reduced: Any, measure: Measure, group: Collection[str]) -> dict[str, Any]:
        means = reduced_means(reduced, self.ranks, self.per_query[measure.name], measure)
        correlation = ranking_correlation(means.full, means.reduced)
        return {
            "queries": means.queries,
            "lost": means.lost,
            "tau": correlation.value,
            "undefined": correlation.undefined,
            "systems": [row._asdict() for row in effects(means.full, means.reduced, group)],
        }


def unique_documents(pools: Iterable[SourcedPool], group: Collection[str]) -> dict[str, set[str]]:
    """By query paper, the documents that no source outside the group found."""
    found = {pool.paper: pool.only_found_by(group) for pool in pools}
    return {paper: docnos for paper, docnos in found.items() if docnos}


def by_query(dropped: Dropped, pools: Iterable[SourcedPool]) -> dict[str, Collection[str]]:
    """A pool belongs to all queries of its paper."""
    return {
        query: dropped[pool.paper]
        for pool in pools
        if pool.paper in dropped
        for query in pool.queries
    }
