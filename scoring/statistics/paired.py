"""Statistics of the difference between two systems, from their values per query. Pure.

`differences[i]` is a system's value on query i minus the baseline's value on the same query. An
entry that is not finite raises ValueError. A number that is undefined is a `Result` with the
reason. The tests are two-sided, and probabilities are from 0 to 1.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agreement.coefficients import Result
from web.lazy import special

Values = Sequence[float] | npt.NDArray[np.float64]

LEVEL = 0.95
ALPHA = 0.05
POWER = 0.8
FLIPS = 10_000
# Signs multiplied at once. They stay in the processor's cache, and OpenBLAS uses one thread for so
# few: its threads wait for each other on a busy machine. Sums are exact, so the p is the same.
BLOCK = 100_000
SAME = 1e-9  # differences up to this size are rounding errors

TOO_FEW_QUERIES = "fewer than two queries"
NO_VARIANCE = "all differences are equal"


class IntervalEstimate(NamedTuple):
    """A value with the ends of its interval, or three times None and the reason."""

    value: float | None
    low: float | None
    high: float | None
    undefined: str | None = None


class WinCounts(NamedTuple):
    """On how many queries a system is better than the baseline, equal, and worse."""

    wins: int
    ties: int
    losses: int


def mean_interval(values: Values, level: float = LEVEL) -> IntervalEstimate:
    """The mean of a sample with the t interval of the population's mean.

    mean ± t(n - 1) · s / √n, s with n - 1 in its denominator. One value has a mean but no
    interval, and then `undefined` says so. No values: all three are None.
    """
    sample = _checked(values)
    if not len(sample):
        return IntervalEstimate(None, None, None, "no queries")
    center = mean(sample)
    if len(sample) < 2:
        return IntervalEstimate(center, None, None, TOO_FEW_QUERIES)
    n = len(sample)
    half = float(special.stdtrit(n - 1, (1 + level) / 2)) * _deviation(sample) / math.sqrt(n)
    return IntervalEstimate(center, center - half, center + half)


def t_test(differences: Values) -> Result:
    """The p of the paired t test (Student 1908): t = mean / (s / √n), n - 1 degrees of freedom.

    Undefined for fewer than two queries, and if all differences are equal, also if they are 0.
    This is the only paired t test of the program, so no two pages differ about a pair of systems.
    """
    sample = _checked(differences)
    reason = _no_spread(sample)
    if reason:
        return Result(None, reason)
    t = mean(sample) / _deviation(sample) * math.sqrt(len(sample))
    return Result(2 * float(special.stdtr(len(sample) - 1, -abs(t))))


def sign_flip_tests(
    differences: npt.NDArray[np.float64], seed: str, flips: int = FLIPS
) -> list[float]:
    """The p of a randomization test for each column of `differences` (queries × systems).

    Fisher's randomization test of the mean (Smucker et al. 2007): if the systems do not differ,
    the sign of each query's difference is random. p = (1 + flips whose mean is at least as far
    from 0 as the observed mean) / (1 + flips): the observed signs are one of the flips.

    The bit of query i in flip k (both from 0) is bit k · queries + i of
    SHAKE-256(`seed|sign-flips`), the highest bit of a byte first; 1 keeps the sign. The
    differences become whole numbers (`_whole_numbers`), whose sums are exact in any order. So the
    same seed and values give the same p on every machine. The columns share the signs.
    """
    sample = _checked(differences)
    if sample.ndim != 2 or not len(sample):
        raise ValueError(f"expected queries × systems with at least one query, got {sample.shape}")
    queries = len(sample)
    numbers = _whole_numbers(sample)
    totals = numbers.sum(axis=0)
    # A query's rounding error is half of a unit, in the observed sum and in the flipped one.
    limits = np.abs(totals) - queries
    extreme = np.zeros(sample.shape[1], dtype=np.int64)
    bits = _bits(f"{seed}|sign-flips", flips * queries)
    block = max(1, BLOCK // queries)
    for start in range(0, flips, block):
        end = min(flips, start + block)
        kept = bits[start * queries : end * queries].reshape(end - start, queries)
        sums = 2 * (kept.astype(np.float64) @ numbers) - totals
        extreme += (np.abs(sums) >= limits).sum(axis=0)
    return [(1 + int(count)) / (1 + flips) for count in extreme]


def _bits(name: str, count: int) -> npt.NDArray[np.uint8]:
    stream = hashlib.shake_256(name.encode()).digest((count + 7) // 8)
    return np.unpackbits(np.frombuffer(stream, dtype=np.uint8), count=count)


def _whole_numbers(sample: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Each column scaled and rounded to integers, so large that a sum of all fits into 52 bits."""
    largest = np.abs(sample).max(axis=0)
    unit = 2.0 ** (51 - math.ceil(math.log2(len(sample))))
    return np.rint(sample / np.where(largest > 0, largest, 1.0) * unit)


def effect_size(differences: Values, level: float = LEVEL) -> IntervalEstimate:
    """Cohen's d of paired differences: mean / s (Cohen 1988), with its noncentral t interval.

    d · √n has a noncentral t distribution with n - 1 degrees of freedom (Cumming and Finch 2001).
    """
    sample = _checked(differences)
    reason = _no_spread(sample)
    if reason:
        return IntervalEstimate(None, None, None, reason)
    size, root = mean(sample) / _deviation(sample), math.sqrt(len(sample))
    low, high = noncentrality_interval(size * root, len(sample) - 1, level)
    return IntervalEstimate(size, low / root, high / root)


def noncentrality_interval(t: float, freedom: int, level: float = LEVEL) -> tuple[float, float]:
    """The noncentralities under which `t` lies at the upper and the lower end of its distribution.

    By scipy's inverse of the distribution, because `stats.nct.cdf` is NaN at some points.
    """
    tail = (1 - level) / 2
    low, high = (special.nctdtrinc(freedom, probability, t) for probability in (1 - tail, tail))
    return float(low), float(high)


def smallest_difference(differences: Values, alpha: float = ALPHA, power: float = POWER) -> Result:
    """The smallest true difference that the paired t test finds with probability `power`.

    For as many queries as `differences` has, and their standard deviation. The two-sided test at
    `alpha` rejects if |t| is over its critical value; t has the noncentrality δ · √n / s
    (Sakai 2016, "Topic set size design", for the paired t test).
    """
    sample = _checked(differences)
    reason = _no_spread(sample)
    if reason:
        return Result(None, reason)
    n = len(sample)
    return Result(detectable_noncentrality(n - 1, alpha, power) * _deviation(sample) / math.sqrt(n))


def detectable_noncentrality(freedom: int, alpha: float = ALPHA, power: float = POWER) -> float:
    """The noncentrality with which a two-sided t test at `alpha` has this power.

    A rejection on the wrong side is left out: at these values its probability is under 0.00001.
    """
    critical = special.stdtrit(freedom, 1 - alpha / 2)
    return float(special.nctdtrinc(freedom, 1 - power, critical))


def wins_ties_losses(differences: Values) -> WinCounts:
    """A difference of up to 1e-9 is a tie, because sums of equal terms may differ in rounding."""
    sample = _checked(differences)
    wins, losses = int((sample > SAME).sum()), int((sample < -SAME).sum())
    return WinCounts(wins, len(sample) - wins - losses, losses)


def _checked(values: Values) -> npt.NDArray[np.float64]:
    sample = np.asarray(values, dtype=np.float64)
    if not np.isfinite(sample).all():
        raise ValueError("all values must be finite; leave out the queries without a value")
    return sample


def _no_spread(sample: npt.NDArray[np.float64]) -> str:
    """The reason why the sample has no standard deviation to divide by; empty if it has one."""
    if len(sample) < 2:
        return TOO_FEW_QUERIES
    return NO_VARIANCE if np.ptp(sample) <= SAME else ""


def mean(sample: npt.NDArray[np.float64]) -> float:
    """The mean of at least one value. The sum is exact, so the order of values has no effect."""
    return math.fsum(sample) / len(sample)


def _deviation(sample: npt.NDArray[np.float64]) -> float:
    return math.sqrt(math.fsum((sample - mean(sample)) ** 2) / (len(sample) - 1))
