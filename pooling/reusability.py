"""The judged share of a system that did not contribute, from sources left out of pools. Pure.

Each source of the pools is left out in turn, as if it were a new system: the pools are drawn
without it, and the share of its first documents that are still pooled is its judged@k. The same is
done with each family of sources, all left out together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from corpus.resampling import FEWEST_QUERIES, draw_counts, percentile_ends
from web.words import count_noun

DEPTH = 20  # of judged@k


class SourceLeftOut(NamedTuple):
    """A source or a family that is left out, with its value for each query.

    `values` are by query, or by query paper before pools are built. One without a list is missing.
    """

    name: str
    values: Mapping[str, float]

    @property
    def mean(self) -> float:
        return float(np.mean([self.values[query] for query in sorted(self.values)]))


class Prediction(NamedTuple):
    """The mean over what was left out of its mean over queries, with a 95 % interval.

    The queries are drawn with replacement for the interval. What is left out stays the same, so the
    interval says nothing about other systems: the values of `lowest` and `highest` show how much
    these differ. `low` and `high` are None for fewer than 10 queries.
    """

    value: float
    low: float | None
    high: float | None
    groups: int
    queries: int
    lowest: tuple[str, float]
    highest: tuple[str, float]

    def in_words(self, noun: str, plural: str) -> str:
        """As in "64 % (95 % interval 58–70 %, bootstrap over 20 pools), from 51 % (a) to 80 % (b)".

        `noun` is what the values are by: a pool or a query.
        """
        number = count_noun(self.queries, noun, plural)
        if self.low is None or self.high is None:
            interval = f"no interval from {number}"
        else:
            ends = f"{100 * self.low:.0f}–{100 * self.high:.0f} %"
            interval = f"95 % interval {ends}, bootstrap over {number}"
        ends = " to ".join(
            f"{100 * end:.0f} % ({name})" for name, end in (self.lowest, self.highest)
        )
        return f"{100 * self.value:.0f} % ({interval}), from {ends}"


def predict(left_out: Sequence[SourceLeftOut], seed: str) -> Prediction | None:
    """None if nothing was left out, or if it has no list."""
    groups = [group for group in left_out if group.values]
    if not groups:
        return None
    means = {group.name: group.mean for group in groups}
    queries = sorted({query for group in groups for query in group.values})
    low, high = _interval(groups, queries, seed)
    by_value = sorted(means, key=lambda name: (means[name], name))
    return Prediction(
        float(np.mean(list(means.values()))),
        low,
        high,
        len(groups),
        len(queries),
        (by_value[0], means[by_value[0]]),
        (by_value[-1], means[by_value[-1]]),
    )


def _interval(
    groups: Sequence[SourceLeftOut], queries: Sequence[str], seed: str
) -> tuple[float, float] | tuple[None, None]:
    if len(queries) < FEWEST_QUERIES:
        return None, None
    values = np.array([[group.values.get(query, np.nan) for query in queries] for group in groups])
    known, filled = (~np.isnan(values)).astype(np.float64), np.nan_to_num(values)
    estimates = []
    for counts in draw_counts(len(queries), f"{seed}|reusability|{len(queries)}"):
        times = counts.astype(np.float64)
        numbers = times @ known.T
        # A source without a list for any of the drawn queries has no value in this resample.
        means = np.divide(
            times @ filled.T, numbers, out=np.full(numbers.shape, np.nan), where=numbers > 0
        )
        estimates.append(np.nanmean(means, axis=1))
    return percentile_ends(np.concatenate(estimates))


def pooled_share(docnos: Sequence[str], pooled: frozenset[str] | set[str], depth: int) -> float:
    """The share of a list's first documents that are in a pool; of fewer in a shorter list."""
    first = docnos[:depth]
    return sum(docno in pooled for docno in first) / len(first)
