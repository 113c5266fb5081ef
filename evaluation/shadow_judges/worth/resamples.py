"""Bootstrap resamples of queries, and the intervals of what is computed from each. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.consistency.estimates import EstimatedValue
from corpus.resampling import FEWEST_QUERIES, LEVEL, RESAMPLES, Ends, draw_counts
from web.lazy import special

Array = npt.NDArray[np.float64]

BLOCK = 20_000_000  # bytes of weights that are used at once
FEWEST_DEFINED = 0.95  # of the resamples, for an interval


class QueryResamples:
    """`RESAMPLES` samples of as many queries, drawn with replacement.

    The pairs of a query share its text and its judges, so queries are drawn, and each with all its
    pairs. Everything in a report is computed from the same resamples: so a difference of two
    numbers has the interval of the difference, and not of two samples. The numbers are from
    `corpus.resampling`, the same on every machine.
    """

    def __init__(self, queries: int, seed: str, resamples: int = RESAMPLES) -> None:
        self._weights = np.zeros((resamples, queries), dtype=np.int16)
        row = 0
        for block in draw_counts(queries, f"{seed}|shadow-judges|{queries}", resamples):
            self._weights[row : row + len(block)] = block
            row += len(block)

    def sums(self, of_queries: npt.NDArray[Any]) -> Array:
        """The sums over the queries of each resample: (resamples, …) from (queries, …)."""
        flat = np.asarray(of_queries, dtype=np.float64).reshape(len(of_queries), -1)
        used = flat.any(axis=1)  # a slice may have a few of many queries
        weights, flat = self._weights[:, used], flat[used]
        step = max(1, BLOCK // (8 * max(1, len(flat))))
        parts = [
            weights[start : start + step].astype(np.float64) @ flat
            for start in range(0, len(weights), step)
        ]
        return np.vstack(parts).reshape(-1, *of_queries.shape[1:])


def interval_of(estimates: Array, queries: int) -> Ends | None:
    """The expanded percentile interval of a statistic over `queries` queries.

    A plain percentile interval of a mean is too narrow for few queries: it has the quantiles of a
    normal distribution with n in its variance. The expanded one takes the percentiles
    Φ(±t(n - 1) · √(n / (n - 1))). Source: Hesterberg (2015), What Teachers Should Know About the
    Bootstrap. None for fewer than FEWEST_QUERIES, and if the statistic is undefined
    in more than 5 % of the resamples; the others are left out.
    """
    defined = estimates[~np.isnan(estimates)]
    if queries < FEWEST_QUERIES or len(defined) < FEWEST_DEFINED * len(estimates):
        return None
    t = float(special.stdtrit(queries - 1, (1 + LEVEL) / 2))
    tail = 100 * float(special.ndtr(-t * math.sqrt(queries / (queries - 1))))
    low, high = np.percentile(defined, [tail, 100 - tail])
    return float(low), float(high)


def ratio(
    above: npt.NDArray[Any],
    below: npt.NDArray[Any],
    resamples: QueryResamples,
    reason: str,
) -> tuple[EstimatedValue, Array]:
    """Σ above / Σ below over the queries, and its value in each resample.

    Both have an entry for each query. It is undefined with this reason if Σ below is 0.
    """
    queries = int((below > 0).sum())
    sums = resamples.sums(np.stack([above, below], axis=1))
    values = np.full(len(sums), np.nan)
    np.divide(sums[:, 0], sums[:, 1], out=values, where=sums[:, 1] > 0)
    total = math.fsum(below)
    if not total:
        return EstimatedValue(None, None, 0, reason), values
    value = math.fsum(above) / total
    return EstimatedValue(value, interval_of(values, queries), queries), values


def combined(
    parts: tuple[tuple[EstimatedValue, Array], ...], rule: Callable[..., float | Array]
) -> tuple[EstimatedValue, Array]:
    """A function of several statistics, such as a difference, with its own interval."""
    estimates = [estimate for estimate, _ in parts]
    values = rule(*(array for _, array in parts))
    assert isinstance(values, np.ndarray)
    numbers = [estimate.value for estimate in estimates]
    if None in numbers:
        reason = next(each.undefined for each in estimates if each.value is None)
        return EstimatedValue(None, None, 0, reason), values
    queries = min(estimate.n for estimate in estimates)
    point = rule(*numbers)
    assert isinstance(point, float)
    return EstimatedValue(point, interval_of(values, queries), queries), values
