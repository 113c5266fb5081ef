"""Agreement between two raters who graded the same pairs. Values in, values out.

Every coefficient takes two sequences of equal length, entry i of both being the grades of pair i:
non-negative integers, larger meaning more similar, `None` for a missing grade. A pair that either
rater left ungraded takes no part; to count it as grade 0 instead, `fill` both sequences first.
The answer is a `Coefficient`: a finite number, or the reason why there is none.

Sequences of different length raise ValueError. Anything else in a sequence (a NaN, a 1.5, the -1
of CSFCube's files) raises `GradeError`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from numbers import Integral
from typing import TypeAlias

import krippendorff

Grades: TypeAlias = Sequence[int | None]

NO_PAIRS = "no pairs"
ONE_PAIR = "one pair only"
CONSTANT_RATER = "constant rater"
ALL_IDENTICAL = "all grades identical"


class Missing(StrEnum):
    """What becomes of a missing grade: its pair is left out, or it counts as grade 0."""

    EXCLUDE = "exclude"
    ZERO = "zero"


class GradeError(ValueError):
    """Neither None nor a grade of the scale; `grade` is what it was."""

    def __init__(self, grade: object) -> None:
        super().__init__(f"not a grade: {grade!r}")
        self.grade = grade


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A finite `value`, or None and the reason it is `undefined`: always exactly one of the two."""

    value: float | None
    undefined: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.undefined is None):
            raise ValueError("a coefficient has either a value or a reason for having none")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"not a finite coefficient: {self.value!r}")


def fill(grades: Grades, missing: Missing) -> list[int | None]:
    """The same grades, each missing one as 0 under `Missing.ZERO` and as None otherwise."""
    if missing is Missing.ZERO:
        return [0 if grade is None else grade for grade in grades]
    return list(grades)


def spearman(first: Grades, second: Grades) -> Coefficient:
    """Spearman's rank correlation, -1 to 1: Pearson's r of the two raters' mid-ranks.

    Undefined if either rater gave every pair the same grade: such ranks have no variance.
    Source: Spearman (1904); mid-ranks for ties, Kendall (1948), Rank Correlation Methods, ch. 3.
    """
    from scipy.stats import spearmanr  # here, because importing it takes a second

    a, b = _graded_by_both(first, second)
    if not a:
        return _undefined(NO_PAIRS)
    if len(a) == 1:
        return _undefined(ONE_PAIR)
    if _constant(a) or _constant(b):
        return _undefined(CONSTANT_RATER)
    return _defined(spearmanr(a, b).statistic)


def alpha_ordinal(first: Grades, second: Grades) -> Coefficient:
    """Krippendorff's alpha with the ordinal difference function, at most 1, 0 being chance.

    Undefined if all grades of both raters are one and the same: no disagreement is then expected,
    and alpha is 0/0. One constant rater is no obstacle.
    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    """
    a, b = _graded_by_both(first, second)
    if reason := _no_variation(a, b):
        return _undefined(reason)
    # No value_domain: the ordinal difference of c and k is made of how often the grades from c
    # to k were used, so a grade nobody used adds nothing to it.
    return _defined(krippendorff.alpha(reliability_data=[a, b], level_of_measurement="ordinal"))


def kappa(first: Grades, second: Grades) -> Coefficient:
    """Cohen's unweighted kappa, -1 to 1, 0 being chance: (p_o - p_e) / (1 - p_e).

    Undefined if all grades of both raters are one and the same, the only case of p_e = 1. If only
    one rater is constant, p_o = p_e and kappa is 0.
    Source: Cohen (1960), A Coefficient of Agreement for Nominal Scales, eq. 1.
    """
    # Our own four lines: scikit-learn's takes seconds to import, says NaN and warns where this is
    # undefined, and rounds three times where whole numbers round once. The tests compare the two.
    a, b = _graded_by_both(first, second)
    if reason := _no_variation(a, b):
        return _undefined(reason)
    n, used_by_a, used_by_b = len(a), Counter(a), Counter(b)
    expected = sum(used_by_a[grade] * used_by_b[grade] for grade in used_by_a)  # n² p_e
    return _defined((n * _agreed(a, b) - expected) / (n * n - expected))


def percent_agreement(first: Grades, second: Grades) -> Coefficient:
    """Share of pairs given the same grade by both, in percent, 0 to 100; undefined if no pairs."""
    a, b = _graded_by_both(first, second)
    if not a:
        return _undefined(NO_PAIRS)
    return _defined(100 * _agreed(a, b) / len(a))


def confusion(
    first: Grades, second: Grades, grades: Sequence[int] = (0, 1, 2, 3)
) -> tuple[tuple[int, ...], ...]:
    """How many pairs got grade r from the first rater and c from the second, at [r][c].

    Shape (G, G) in the order of `grades`; pairs with a missing grade are not in it, so the cells
    sum to the pairs used. A grade that is not among `grades` raises GradeError.
    """
    a, b = _graded_by_both(first, second)
    for grade in [*a, *b]:
        if grade not in grades:
            raise GradeError(grade)
    cells = Counter(zip(a, b, strict=True))
    return tuple(tuple(cells[row, column] for column in grades) for row in grades)


def _graded_by_both(first: Grades, second: Grades) -> tuple[list[int], list[int]]:
    a: list[int] = []
    b: list[int] = []
    for left, right in zip(map(_grade, first), map(_grade, second), strict=True):
        if left is not None and right is not None:
            a.append(left)
            b.append(right)
    return a, b


def _grade(grade: object) -> int | None:
    if grade is None:
        return None
    # A -1 that means "missing" elsewhere would otherwise pass for a grade below 0, unnoticed.
    if not isinstance(grade, Integral) or grade < 0:
        raise GradeError(grade)
    return int(grade)


def _no_variation(a: list[int], b: list[int]) -> str | None:
    if not a:
        return NO_PAIRS
    return ALL_IDENTICAL if _constant(a + b) else None


def _constant(grades: list[int]) -> bool:
    return len(set(grades)) == 1


def _agreed(a: list[int], b: list[int]) -> int:
    return sum(left == right for left, right in zip(a, b, strict=True))


def _defined(value: float) -> Coefficient:
    return Coefficient(float(value))


def _undefined(reason: str) -> Coefficient:
    return Coefficient(None, reason)
