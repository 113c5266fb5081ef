"""Bounds of means over queries that need not all have a value, and of places. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evaluation.gaps.computation.bounds import Floats, ScoreRange
from scoring.statistics.paired import SAME


class MeanRange(NamedTuple):
    """The bounds of a mean over queries, and its present value. None: no query can have a value."""

    low: float | None
    value: float | None
    high: float | None


def mean_range(ranges: Sequence[ScoreRange | None]) -> MeanRange:
    """The bounds of the mean over the queries that have a value.

    The labels of two queries are independent, so the mean is lowest where every value is. A query
    that need not have a value takes part where that lowers the mean, and likewise for the highest.
    """
    return mean_of(np.array([row for row in ranges if row], dtype=np.float64).reshape(-1, 4))


def mean_of(rows: Floats) -> MeanRange:
    """As `mean_range`, of rows of `score_ranges`."""
    rows = rows[~np.isnan(rows[:, 0])]
    certain, others = rows[rows[:, 3] > 0], rows[rows[:, 3] == 0]
    value = float(certain[:, 1].mean()) if len(certain) else None
    low = _lowest(certain[:, 0], others[:, 0])
    high = _lowest(-certain[:, 2], -others[:, 2])
    return MeanRange(low, value, None if high is None else 0.0 - high)


def _lowest(certain: Floats, others: Floats) -> float | None:
    """The lowest mean of all certain values and any of the others; None if there is none."""
    sums = certain.sum() + np.concatenate([[0.0], np.cumsum(np.sort(others))])
    sizes = len(certain) + np.arange(len(others) + 1)
    return float((sums[sizes > 0] / sizes[sizes > 0]).min()) if sizes[-1] else None


class PossibleRanks(NamedTuple):
    """The present rank of a system, the best and the worst that it can have."""

    best: int
    rank: int
    worst: int


def places(lows: Floats, values: Floats, highs: Floats) -> list[PossibleRanks]:
    """The places of systems; `values[i, j]` is the mean of system i minus that of system j.

    A system is below each system that is better by more than a rounding error; equal ones share a
    rank. The best rank counts those that must be better, and the worst those that can be. They need
    not be reached together, because the labels that lift one system may lift another.
    """

    def ranks(differences: Floats) -> list[int]:
        # With nan, the diagonal and undefined differences do not count.
        return [1 + int(number) for number in (differences > SAME).sum(axis=0)]

    return [
        PossibleRanks(best, rank, worst)
        for best, rank, worst in zip(ranks(lows), ranks(values), ranks(highs), strict=True)
    ]
