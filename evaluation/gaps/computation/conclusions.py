"""Conclusions about two systems, and the certainty that labels cannot change them. Pure.

A conclusion is drawn from the differences of two systems on the queries. Each difference lies
between bounds. `holds` says that the conclusion is the same for all differences within them. It may
say no where the conclusion is the same after all, and never yes where it is not.

For the paired t test, let S be the sum of n differences x and T the critical value of t. The
differences are significant, with S > 0, if S - κ‖x‖ > 0 for κ = T √(n / (n - 1 + T²)): that is
t > T, solved for S. The function is concave:

- Its highest value over the bounds is at x = clip(τ, low, high) with τ = ‖x‖ / κ. There a small
  change of a single difference gains nothing, and of a concave function that is the maximum.
- Its lowest value is not below max over r > 0 of Σ min(x - κx²/2r) - κr/2, because
  ‖x‖ <= ‖x‖²/2r + r/2. Each summand is lowest at one of its two bounds.

A query that has no value with some labellings takes part or does not. Its difference may then be 0,
and n any number between.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from evaluation.gaps.computation.bounds import Floats, ScoreRange
from scoring.statistics.paired import ALPHA, SAME, t_test
from web.lazy import special

STEPS = 60  # of a bisection, and values of r


class ConclusionKind(StrEnum):
    """ORDER: which of both means is higher, or that they are equal. SIGNIFICANCE: the paired t test
    finds that the first is higher, that the second is, or neither."""

    ORDER = "order"
    SIGNIFICANCE = "significance"


class Conclusion(NamedTuple):
    """The conclusion about two systems by a measure, whose name is `measure`."""

    first: str
    second: str
    measure: str
    kind: ConclusionKind = ConclusionKind.ORDER


class Differences(NamedTuple):
    """The bounds of the differences of the queries that can have a value, with the present values.

    A query that may have no value has 0 between its bounds. `is_certain` has the others.
    """

    low: Floats
    value: Floats
    high: Floats
    is_certain: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

    @classmethod
    def of(cls, ranges: Sequence[ScoreRange | None]) -> Differences:
        rows = np.array([row for row in ranges if row], dtype=np.float64).reshape(-1, 4)
        low, value, high, is_certain = rows.T
        certain = is_certain > 0
        return cls(
            np.where(certain, low, np.minimum(low, 0.0)),
            value,
            np.where(certain, high, np.maximum(high, 0.0)),
            certain,
        )

    @property
    def negated(self) -> Differences:
        return Differences(-self.high, -self.value, -self.low, self.is_certain)

    @property
    def is_fixed(self) -> bool:
        return bool(
            self.is_certain.all() and np.ptp([self.low, self.high], axis=0).max(initial=0.0) == 0
        )


def present(kind: ConclusionKind, values: Floats) -> int:
    """The conclusion of these differences: 1 for the first system, -1 for the second, 0 neither."""
    total = float(values.sum())
    sign = 0 if abs(total) <= SAME else (1 if total > 0 else -1)
    if kind is ConclusionKind.ORDER:
        return sign
    p = t_test(values).value if len(values) else None
    return sign if p is not None and p < ALPHA else 0


def holds(kind: ConclusionKind, differences: Differences) -> bool:
    """No labels within the bounds can change the conclusion of the present values."""
    if differences.is_fixed:
        return True
    conclusion = present(kind, differences.value[differences.is_certain])
    if conclusion < 0:
        return holds(kind, differences.negated)
    if kind is ConclusionKind.ORDER:
        if conclusion:
            return bool(differences.low.sum() > SAME)
        return bool(max(-differences.low.sum(), differences.high.sum()) <= SAME)
    if conclusion:
        return _stays_significant(differences)
    return not (_can_be_significant(differences) or _can_be_significant(differences.negated))


def _factors(differences: Differences) -> Floats:
    """κ for each number of queries that can take part."""
    certain = int(differences.is_certain.sum())
    n = np.arange(max(2, certain), len(differences.low) + 1, dtype=np.float64)
    critical = np.asarray(special.stdtrit(n - 1, 1 - ALPHA / 2), dtype=np.float64)
    factors: Floats = critical * np.sqrt(n / (n - 1 + critical**2))
    return factors


def _stays_significant(differences: Differences) -> bool:
    low, _, high, is_certain = differences
    if low[is_certain].max() - high[is_certain].min() <= SAME:
        return False  # all differences could be equal, which has no t
    factor = float(_factors(differences).max())
    squares = np.minimum(low**2, high**2)
    squares[(low < 0) & (high > 0)] = 0.0
    nearest, farthest = np.sqrt([squares.sum(), np.maximum(low**2, high**2).sum()])
    radii = np.linspace(max(nearest, farthest / STEPS), farthest, STEPS)[:, None]
    ends = [x - factor * x**2 / (2 * radii) for x in (low, high)]
    bounds = np.minimum(*ends).sum(axis=1) - factor * radii[:, 0] / 2
    return bool(bounds.max() > SAME)


def _can_be_significant(differences: Differences) -> bool:
    """False only if the first system cannot be significantly better."""
    low, _, high, _ = differences
    factors = _factors(differences)
    if not len(factors) or high.max() <= 0:
        return False
    factor = float(factors.min())
    below, above = 0.0, float(np.sqrt((np.maximum(low**2, high**2)).sum()) / factor)
    for _ in range(STEPS):
        middle = (below + above) / 2
        if factor * middle < np.linalg.norm(np.clip(middle, low, high)):
            below = middle
        else:
            above = middle
    best = np.clip(above, low, high)
    return bool(best.sum() - factor * np.linalg.norm(best) > -SAME)
