"""Agreement between two raters who graded the same pairs. Values in, values out.

Every coefficient takes two sequences of equal length, entry i of both being the grades of pair i:
non-negative integers, larger meaning more similar, `None` for a missing grade. A pair that either
rater left ungraded takes no part; to count it as grade 0 instead, `fill` both sequences first.
The result is a `Result`: a finite number, or the reason why there is none.

Sequences of different length raise ValueError. Anything else in a sequence (a NaN, a 1.5, the -1
of CSFCube's files) raises `GradeError`.

How often each two grades were given says all that a coefficient needs. `CrossTable` holds that,
checked once for all coefficients, and each coefficient `x` has an `x_of` that takes one.
`REGISTRY`, at the end, is the one list of them: reports, downloads and the API read it. Tables show
those of it that CSFCube's paper has, `COEFFICIENTS`, and the others on request.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import groupby
from numbers import Integral
from statistics import fmean
from typing import Literal, TypeAlias

import krippendorff
import numpy as np

from corpus.scale import DEFAULT_SCALE, Scale

Grades: TypeAlias = Sequence[int | None]
Level: TypeAlias = Literal["ordinal", "nominal"]  # of measurement

NO_PAIRS = "no pairs"
ONE_PAIR = "one pair only"
CONSTANT_RATER = "constant rater"
ALL_IDENTICAL = "all grades identical"


class Missing(StrEnum):
    """The treatment of a missing grade: leave its pair out, or count it as grade 0."""

    EXCLUDE = "exclude"
    ZERO = "zero"


class GradeError(ValueError):
    """A value that is neither None nor a grade of the scale; it is in `grade`."""

    def __init__(self, grade: object) -> None:
        super().__init__(f"a grade must be None or a grade of the scale, got {grade!r}")
        self.grade = grade


@dataclass(frozen=True, slots=True)
class Result:
    """A finite `value`, or None and the reason it is `undefined`: always exactly one of the two."""

    value: float | None
    undefined: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.undefined is None):
            raise ValueError("a result has either a value or a reason why it is undefined")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"the value of a result must be finite, got {self.value!r}")


class CrossTable:
    """The number of pairs with grade a by the first rater and b by the second, at `counts[a, b]`.

    The first argument gives the pairs by their two grades, in any order; the same two may come
    again. A pair with a missing grade takes no part. A value that is not a grade raises GradeError.
    Only the coefficients that say so depend on the `scale`.
    """

    def __init__(
        self,
        pairs: Iterable[tuple[tuple[int | None, int | None], int]],
        scale: Scale = DEFAULT_SCALE,
    ) -> None:
        self.scale = scale
        counts: Counter[tuple[int, int]] = Counter()
        for (first, second), number in pairs:
            a, b = check_grade(first), check_grade(second)
            if a is not None and b is not None:
                counts[a, b] += number
        # In one order, so that the order of the pairs cannot change a digit.
        self.counts: Mapping[tuple[int, int], int] = dict(sorted(counts.items()))

    @cached_property
    def pairs(self) -> int:
        return sum(self.counts.values())

    @cached_property
    def agreed(self) -> int:
        return sum(number for (a, b), number in self.counts.items() if a == b)

    @cached_property
    def by_first(self) -> Counter[int]:
        """The number of times that the first rater gave each grade."""
        return self._count_grades(0)

    @cached_property
    def by_second(self) -> Counter[int]:
        return self._count_grades(1)

    def _count_grades(self, rater: int) -> Counter[int]:
        grade_counts: Counter[int] = Counter()
        for grades, number in self.counts.items():
            grade_counts[grades[rater]] += number
        return grade_counts


def cross_table(
    first: Grades,
    second: Grades,
    scale: Scale = DEFAULT_SCALE,
) -> CrossTable:
    """The table of two sequences of grades, each entry of which is checked."""
    checked_pairs = zip(map(check_grade, first), map(check_grade, second), strict=True)
    return CrossTable(((grades, 1) for grades in checked_pairs), scale)


def check_grade(grade: object) -> int | None:
    """The grade as an int. Raises GradeError for a value that is neither None nor a grade."""
    if grade is None:
        return None
    # A -1 that means "missing" elsewhere would otherwise pass for a grade below 0, unnoticed.
    # The plain int first: asking for Integral, which numpy's integers are too, is ten times slower.
    if not (type(grade) is int or isinstance(grade, Integral)) or grade < 0:
        raise GradeError(grade)
    return int(grade)


def fill(grades: Grades, missing: Missing) -> list[int | None]:
    """The same grades, each missing one as 0 under `Missing.ZERO` and as None otherwise."""
    if missing is Missing.ZERO:
        return [0 if grade is None else grade for grade in grades]
    return list(grades)


def spearman(first: Grades, second: Grades) -> Result:
    """Spearman's rank correlation, -1 to 1: Pearson's r of the two raters' mid-ranks.

    Undefined if either rater gave every pair the same grade: such ranks have no variance.
    Source: Spearman (1904); mid-ranks for ties, Kendall (1948), Rank Correlation Methods, ch. 3.
    """
    return spearman_of(cross_table(first, second))


def spearman_of(table: CrossTable) -> Result:
    if reason := _no_order(table):
        return _undefined_result(reason)
    # `scipy.stats.spearmanr` does the same and gives the same float, but ranks a few grades as if
    # each entry could differ, and adds a p-value: seven times the work. The tests compare the two.
    of_first, of_second = _mid_ranks(table.by_first), _mid_ranks(table.by_second)
    cells = [(of_first[a], of_second[b]) for a, b in table.counts]
    # Without rounding where the ranks are equal or reversed: numpy gives 0.9999999999999998 there.
    if all(a == b for a, b in cells):
        return _defined_result(1)
    if all(a + b == table.pairs + 1 for a, b in cells):
        return _defined_result(-1)
    ranks = np.repeat(np.array(cells), list(table.counts.values()), axis=0)
    return _defined_result(np.corrcoef(ranks, rowvar=False)[1, 0])


def alpha_ordinal(first: Grades, second: Grades) -> Result:
    """Krippendorff's alpha with the ordinal difference function, at most 1, 0 being chance.

    Undefined if all grades of both raters are one and the same: no disagreement is then expected,
    and alpha is 0/0. With one constant rater it is defined.
    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    """
    return alpha_ordinal_of(cross_table(first, second))


def alpha_ordinal_of(table: CrossTable) -> Result:
    if reason := _no_variation(table):
        return _undefined_result(reason)
    # Only the grades that were used: the ordinal difference of c and k is made of how often the
    # grades from c to k were used, so an unused grade adds nothing to it.
    scale = sorted({*table.by_first, *table.by_second})
    cells = [[(a == grade) + (b == grade) for grade in scale] for a, b in table.counts]
    units = np.repeat(np.array(cells), list(table.counts.values()), axis=0)
    return _defined_result(krippendorff.alpha(value_counts=units, level_of_measurement="ordinal"))


def alpha_of_units(units: Sequence[list[int]], level: Level) -> Result:
    """Krippendorff's alpha of any number of raters. `units[i]` are the values given to unit i.

    `level` is "ordinal" or "nominal". A unit with fewer than two values takes no part. Undefined if
    no unit is left, or if all values are the same. At most 1, 0 being chance.
    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    """
    pairable = [values for values in units if len(values) > 1]
    scale = sorted({value for values in pairable for value in values})
    if len(scale) < 2:
        return _undefined_result(ALL_IDENTICAL if scale else NO_PAIRS)
    counts = np.array([[values.count(value) for value in scale] for values in pairable])
    return _defined_result(krippendorff.alpha(value_counts=counts, level_of_measurement=level))


def kappa(first: Grades, second: Grades) -> Result:
    """Cohen's unweighted kappa, -1 to 1, 0 being chance: (p_o - p_e) / (1 - p_e).

    Undefined if all grades of both raters are one and the same, the only case of p_e = 1. If only
    one rater is constant, p_o = p_e and kappa is 0.
    Source: Cohen (1960), A Coefficient of Agreement for Nominal Scales, eq. 1.
    """
    return kappa_of(cross_table(first, second))


def kappa_of(table: CrossTable) -> Result:
    # Our own three lines: scikit-learn's takes seconds to import, says NaN and warns where this is
    # undefined, and rounds three times where whole numbers round once. The tests compare the two.
    if reason := _no_variation(table):
        return _undefined_result(reason)
    n, used_by_a, used_by_b = table.pairs, table.by_first, table.by_second
    expected = sum(used_by_a[grade] * used_by_b[grade] for grade in used_by_a)  # n² p_e
    return _defined_result((n * table.agreed - expected) / (n * n - expected))


def kendall_of(table: CrossTable) -> Result:
    """Kendall's tau-b, -1 to 1: concordant minus discordant pairs of pairs, corrected for ties.

    (C - D) / sqrt((n0 - n1)(n0 - n2)), with n0 = n(n - 1)/2, and n1 and n2 the pairs of pairs that
    the first and the second rater gave the same grade. Undefined if either rater is constant.
    Source: Kendall (1945), The treatment of ties in ranking problems.
    """
    # `scipy.stats.kendalltau` sorts all pairs and adds a p-value: fifty times the work of the few
    # cells. The tests compare the two.
    if reason := _no_order(table):
        return _undefined_result(reason)
    balance = 0
    below: Counter[int] = Counter()  # pairs with a lower grade by the first rater, by the second's
    for _, cells in groupby(table.counts.items(), key=lambda cell: cell[0][0]):
        row = [(b, number) for (_, b), number in cells]  # `counts` are in order
        for b, number in row:
            balance += number * sum(_sign(b - d) * others for d, others in below.items())
        below.update(dict(row))
    untied = _untied(table.by_first) * _untied(table.by_second)
    return _defined_result(balance / math.sqrt(untied))


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _untied(grade_counts: Counter[int]) -> int:
    """The pairs of pairs with different grades."""
    n = grade_counts.total()
    return (n * n - sum(number * number for number in grade_counts.values())) // 2


def linear_kappa_of(table: CrossTable) -> Result:
    """Cohen's kappa with weights |a - b|: a disagreement by two grades counts twice.

    1 - observed / expected disagreement, at most 1, 0 being chance. Undefined as `kappa` is.
    Source: Cohen (1968), Weighted kappa, eq. 9.
    """
    return _weighted_kappa(table, lambda difference: abs(difference))


def quadratic_kappa_of(table: CrossTable) -> Result:
    """Cohen's kappa with weights (a - b)²: a disagreement by two grades counts four times."""
    return _weighted_kappa(table, lambda difference: difference * difference)


def _weighted_kappa(table: CrossTable, weight: Callable[[int], int]) -> Result:
    if reason := _no_variation(table):
        return _undefined_result(reason)
    observed = sum(weight(a - b) * number for (a, b), number in table.counts.items())
    expected = sum(  # n times
        weight(a - b) * of_first * of_second
        for a, of_first in table.by_first.items()
        for b, of_second in table.by_second.items()
    )
    return _defined_result((expected - table.pairs * observed) / expected)


def ac1_of(table: CrossTable) -> Result:
    """Gwet's AC1, at most 1, 0 being chance: (p_a - p_e) / (1 - p_e), undefined if no pairs.

    p_e = Σ π_g (1 - π_g) / (q - 1) over the q grades of the scale, π_g being the mean of the two
    raters' shares of grade g. It is low where most pairs have one grade, where kappa's is high.
    Grades that are not on the scale raise GradeError.
    Source: Gwet (2008), Computing inter-rater reliability and its variance in the presence of high
    agreement, eq. 6.
    """
    return _gwet(table, [[int(a == b) for b in table.scale.grades] for a in table.scale.grades])


def ac2_of(table: CrossTable) -> Result:
    """Gwet's AC2 with quadratic weights, 1 - (a - b)² / (q - 1)², over the q grades of the scale.

    As AC1, with p_a the mean weight of the pairs, and p_e that of AC1 times the mean weight of two
    grades times q.
    Source: Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., ch. 3.
    """
    grades = table.scale.grades
    return _gwet(table, [[(len(grades) - 1) ** 2 - (a - b) ** 2 for b in grades] for a in grades])


def _gwet(table: CrossTable, weights: Sequence[Sequence[int]]) -> Result:
    """Of weights in whole numbers. Those on the diagonal are the highest."""
    for grade in {*table.by_first, *table.by_second}:
        if grade not in table.scale.grades:
            raise GradeError(grade)
    if not table.counts:
        return _undefined_result(NO_PAIRS)
    # In whole numbers until the one division: everything times highest · q (q - 1) · (2n)².
    n, q, highest = table.pairs, len(weights), weights[0][0]
    by_grade = table.by_first + table.by_second
    unlike = sum(number * (2 * n - number) for number in by_grade.values())  # Σ π (1 - π) (2n)²
    expected = unlike * sum(map(sum, weights))
    observed = sum(weights[a][b] * number for (a, b), number in table.counts.items())
    unit = 4 * n * q * (q - 1)
    return _defined_result((observed * unit - expected) / (highest * n * unit - expected))


def percent_agreement(first: Grades, second: Grades) -> Result:
    """Share of pairs given the same grade by both, in percent, 0 to 100; undefined if no pairs."""
    return percent_agreement_of(cross_table(first, second))


def percent_agreement_of(table: CrossTable) -> Result:
    return _percent(table, lambda a, b: a == b)


def percent_within_one_of(table: CrossTable) -> Result:
    """Share of pairs whose two grades differ by one at most, in percent; undefined if no pairs."""
    return _percent(table, lambda a, b: abs(a - b) <= 1)


def percent_relevance_of(table: CrossTable) -> Result:
    """Share of pairs that both found relevant or both did not, in percent; undefined if no pairs.

    Relevant is a grade from `relevant_from` of the scale on.
    """
    relevant = table.scale.relevant_from
    return _percent(table, lambda a, b: (a >= relevant) == (b >= relevant))


def _percent(table: CrossTable, is_agreement: Callable[[int, int], bool]) -> Result:
    if not table.counts:
        return _undefined_result(NO_PAIRS)
    agreed = sum(number for (a, b), number in table.counts.items() if is_agreement(a, b))
    return _defined_result(100 * agreed / table.pairs)


def mean_of(results: Sequence[Result]) -> Result:
    """The mean of those that are defined; of none, the first one's reason, or `NO_PAIRS`."""
    values = [result.value for result in results if result.value is not None]
    if values:
        return Result(fmean(values))
    return results[0] if results else Result(None, NO_PAIRS)


def confusion(
    first: Grades, second: Grades, grades: Sequence[int] = (0, 1, 2, 3)
) -> tuple[tuple[int, ...], ...]:
    """The number of pairs with grade r by the first rater and c by the second, at [r][c].

    Shape (G, G) in the order of `grades`; pairs with a missing grade are not in it, so the cells
    sum to the pairs used. A grade that is not among `grades` raises GradeError.
    """
    return confusion_of(cross_table(first, second), grades)


def confusion_of(
    table: CrossTable, grades: Sequence[int] = (0, 1, 2, 3)
) -> tuple[tuple[int, ...], ...]:
    for grade in (*table.by_first, *table.by_second):
        if grade not in grades:
            raise GradeError(grade)
    return tuple(tuple(table.counts.get((row, column), 0) for column in grades) for row in grades)


def _mid_ranks(grade_counts: Counter[int]) -> dict[int, float]:
    """The rank of each grade, from 1: the mean of the ranks that the entries with it span."""
    ranks: dict[int, float] = {}
    below = 0
    for grade in sorted(grade_counts):
        ranks[grade] = below + (grade_counts[grade] + 1) / 2
        below += grade_counts[grade]
    return ranks


def _no_order(table: CrossTable) -> str | None:
    """The reason why a rank correlation is undefined, if it is."""
    if not table.counts:
        return NO_PAIRS
    if table.pairs == 1:
        return ONE_PAIR
    return CONSTANT_RATER if 1 in (len(table.by_first), len(table.by_second)) else None


def _no_variation(table: CrossTable) -> str | None:
    if not table.counts:
        return NO_PAIRS
    return ALL_IDENTICAL if len({*table.by_first, *table.by_second}) == 1 else None


def _defined_result(value: float) -> Result:
    return Result(float(value))


def _undefined_result(reason: str) -> Result:
    return Result(None, reason)


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A column of every report.

    `key` names it in payloads, CSV files and the API. `symbol` and `name` name it on pages.
    No value lies above `highest`; a value below 0 means less agreement than by chance.
    Tables show `decimals` digits after the point. `of_paper` says that CSFCube's paper has it.
    """

    key: str
    symbol: str
    name: str
    function: Callable[[CrossTable], Result]
    highest: float = 1.0
    decimals: int = 2
    of_paper: bool = False


def _percentage(
    key: str,
    symbol: str,
    name: str,
    function: Callable[[CrossTable], Result],
    *,
    of_paper: bool = False,
) -> Coefficient:
    return Coefficient(key, symbol, name, function, 100.0, 1, of_paper)


REGISTRY = (
    Coefficient("spearman", "ρ", "Spearman’s ρ", spearman_of, of_paper=True),
    Coefficient("alpha", "α", "Krippendorff’s α, ordinal", alpha_ordinal_of, of_paper=True),
    Coefficient("kappa", "κ", "Cohen’s κ", kappa_of, of_paper=True),
    _percentage("percent", "%", "Percent agreement", percent_agreement_of, of_paper=True),
    Coefficient("kendall", "τ", "Kendall’s τ-b", kendall_of),
    Coefficient("kappa_linear", "κ linear", "Cohen’s κ, linear weights", linear_kappa_of),
    Coefficient(
        "kappa_quadratic", "κ quadratic", "Cohen’s κ, quadratic weights", quadratic_kappa_of
    ),
    Coefficient("ac1", "AC1", "Gwet’s AC1", ac1_of),
    Coefficient("ac2", "AC2", "Gwet’s AC2, quadratic weights", ac2_of),
    _percentage("percent_within_1", "% ± 1", "Percent within one grade", percent_within_one_of),
    _percentage(
        "percent_relevance", "% relevance", "Percent agreement on relevance", percent_relevance_of
    ),
)
COEFFICIENTS = tuple(coefficient for coefficient in REGISTRY if coefficient.of_paper)
