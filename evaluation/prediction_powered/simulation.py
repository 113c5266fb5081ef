"""Judged queries drawn again and again from a collection that people judged whole. Pure.

The mean of each system over all queries is then known, so the share of the draws whose interval
contains it can be counted: the coverage, which must be 95 %.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evaluation.prediction_powered.limits import FEWEST, reason_against
from scoring.measures.judged_ranks import Floats, Ints
from scoring.statistics.prediction_powered import estimate

DRAWS = 1_000
LOWEST, HIGHEST = 0.93, 0.97  # the coverage of a nominal 95 % with which intervals are offered
SIZES = (8, FEWEST, 20, 24, 32, 50, 100, 200)


class SystemCoverage(NamedTuple):
    """The share of the intervals of each kind that contain a system's mean over all queries."""

    human: float
    powered: float


class SimulatedSize(NamedTuple):
    """Draws of `judged` queries. Coverage is by system; the others are over all draws and systems.

    `width` is the median width of the powered interval as a share of that of human labels alone;
    None if these have no width, because every system has the same value on all queries.
    `saved` are the 5th, 50th and 95th percentile of the queries that the model saves.
    `not_offered` is why no page gives such an interval, or "".
    """

    judged: int
    coverage: list[SystemCoverage]
    width: float | None
    saved: tuple[float, float, float]
    not_offered: str = ""

    @property
    def human(self) -> float:
        return sum(each.human for each in self.coverage) / len(self.coverage)

    @property
    def powered(self) -> float:
        return sum(each.powered for each in self.coverage) / len(self.coverage)


def simulated_sizes(queries: int) -> list[int]:
    """Numbers of judged queries that leave others."""
    return [size for size in SIZES if size < queries]


def simulate(
    human: Floats,
    model: Floats,
    sizes: Sequence[int],
    *,
    draws: int,
    seed: str,
    measure: str,
) -> list[SimulatedSize]:
    """`human` and `model`: systems × queries, the values under both labels; NaN is no value.

    Every system must have a value under the human labels. The draws of all sizes begin with the
    same queries.
    """
    queries = human.shape[1]
    orders = random_orders(queries, draws, seed)
    return [
        _simulated(human, model, orders[:, :size])._replace(
            not_offered=reason_against(size, queries - size, measure)
        )
        for size in sizes
    ]


def random_orders(queries: int, draws: int, seed: str) -> Ints:
    """Permutations of the numbers of the queries (draws × queries).

    Query i of a draw d (from 0) has the key of 8 bytes at place d · queries + i of
    SHAKE-256(`seed|judged-queries`), and they are sorted by it.
    """
    stream = hashlib.shake_256(f"{seed}|judged-queries".encode()).digest(8 * draws * queries)
    keys = np.frombuffer(stream, dtype=">u8").reshape(draws, queries)
    return np.argsort(keys, axis=1, kind="stable")


def _simulated(human: Floats, model: Floats, judged: Ints) -> SimulatedSize:
    coverage, widths, saved = [], [], []
    for values, predicted in zip(human, model, strict=True):
        truth = float(np.nanmean(values))
        found = estimate(values[judged], predicted, judged)
        coverage.append(
            SystemCoverage(
                *(
                    float(((each.low <= truth) & (truth <= each.high)).mean())
                    for each in (found.human, found.powered)
                )
            )
        )
        is_wide = found.human.width > 0
        widths.append(found.powered.width[is_wide] / found.human.width[is_wide])
        saved.append(found.needed - judged.shape[1])
    low, median, high = np.quantile(np.concatenate(saved), [0.05, 0.5, 0.95])
    ratios = np.concatenate(widths)
    return SimulatedSize(
        judged.shape[1],
        coverage,
        float(np.median(ratios)) if len(ratios) else None,
        (float(low), float(median), float(high)),
    )
