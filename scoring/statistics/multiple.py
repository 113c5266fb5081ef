"""Many comparisons at once: Holm's correction, and Tukey's HSD for all pairs of systems. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scoring.statistics.paired import (
    LEVEL,
    SAME,
    TOO_FEW_QUERIES,
    IntervalEstimate,
    noncentrality_interval,
)
from web.lazy import special

TOO_FEW_SYSTEMS = "fewer than two systems"
NO_RESIDUAL = "no variance beyond systems and queries"

Array = npt.NDArray[np.float64]


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The p values adjusted for their number, by Holm's step-down (Holm 1979); at most 1.

    In ascending order, the k-th of m is multiplied by m - k + 1 and is at least its predecessor.
    An undefined p, None, stays None and does not count as a test.
    """
    tests = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for number, (p, place) in enumerate(tests):
        largest = min(1.0, max(largest, (len(tests) - number) * p))
        adjusted[place] = largest
    return adjusted


class SystemPair(NamedTuple):
    """Two systems by their columns: first minus second, Tukey's p, and the effect size."""

    first: int
    second: int
    difference: float
    p: float
    effect: IntervalEstimate


class Tukey(NamedTuple):
    """All pairs, in the order of the columns; none, and the reason, if undefined.

    `residual` is the variance that neither systems nor queries explain, `freedom` its degrees.
    """

    pairs: Sequence[SystemPair]
    residual: float | None
    freedom: int
    undefined: str | None = None


def tukey(values: Array) -> Tukey:
    """Tukey's honestly significant differences of `values` (queries × systems).

    Two-way analysis of variance without replication: value = mean + system + query + error
    (Carterette 2012; Sakai 2018, "Laboratory Experiments in Information Retrieval", ch. 4). With n
    queries, m systems and the residual variance V, q = |difference| / √(V / n) has the studentized
    range distribution of m means with (m - 1)(n - 1) degrees of freedom. The effect size is
    difference / √V (Sakai 2018); difference / √(2 V / n) has a noncentral t distribution,
    which gives its interval.
    """
    if not np.isfinite(values).all():
        raise ValueError("all values must be finite; leave out the queries without a value")
    queries, systems = values.shape
    freedom = (queries - 1) * (systems - 1)
    if systems < 2 or queries < 2:
        reason = TOO_FEW_SYSTEMS if systems < 2 else TOO_FEW_QUERIES
        return Tukey((), None, freedom, reason)
    means = values.mean(axis=0)
    residuals = values - means - values.mean(axis=1, keepdims=True) + values.mean()
    if np.abs(residuals).max() <= SAME:
        return Tukey((), 0.0, freedom, NO_RESIDUAL)
    residual = float((residuals**2).sum()) / freedom
    places = list(combinations(range(systems), 2))
    differences = [float(means[first] - means[second]) for first, second in places]
    scale = math.sqrt(residual / queries)
    pairs = [
        SystemPair(
            *place,
            difference,
            studentized_range_tail(abs(difference) / scale, systems, freedom),
            _effect(difference, residual, queries, freedom),
        )
        for place, difference in zip(places, differences, strict=True)
    ]
    return Tukey(pairs, residual, freedom)


def studentized_range_tail(q: float, means: int, freedom: int) -> float:
    """The probability of a studentized range of `means` means over `q` (Tukey 1949; Copenhaver and
    Holland 1988, eq. 1), to 1e-9 from about five degrees of freedom on.

    The range of standard normal values, over the distribution of the estimated deviation; both
    integrals by the trapezoidal rule, which converges exponentially here, because the integrands
    vanish at both ends. `scipy.stats.studentized_range` is as exact, but takes
    4.5 ms, which is 2 s for all pairs of 30 systems.
    """
    z, logs, weights = _nodes(freedom)
    within = special.ndtr(z) - special.ndtr(z - q * np.exp(logs)[:, None])
    steps = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) * (z[1] - z[0])
    below = means * (within ** (means - 1) @ steps)
    return min(1.0, max(0.0, 1.0 - float(below @ weights)))


@cache
def _nodes(freedom: int) -> tuple[Array, Array, Array]:
    """Normal deviates; logarithms of the deviation's ratio to the true one, and their weights."""
    z = np.linspace(-9, 9, 109)
    low, high = special.chdtri(freedom, [1 - 1e-14, 1e-16]) / freedom
    logs = np.linspace(math.log(low) / 2, math.log(high) / 2, 97)
    # The density of half the logarithm of a χ² variate over its degrees of freedom.
    half = freedom / 2
    densities = np.exp(
        math.log(2)
        + half * math.log(half)
        - special.gammaln(half)
        + freedom * logs
        - half * np.exp(2 * logs)
    )
    return z, logs, densities / densities.sum()


def _effect(difference: float, residual: float, queries: int, freedom: int) -> IntervalEstimate:
    size = difference / math.sqrt(residual)
    root = math.sqrt(queries / 2)
    low, high = noncentrality_interval(size * root, freedom, LEVEL)
    return IntervalEstimate(size, low / root, high / root)
