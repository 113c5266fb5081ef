"""Agreement between two raters who graded the same pairs. Pure.

Entry i of both sequences is about pair i: a whole number from 0 up, larger meaning more similar, or None where the
rater gave no grade. A pair without both grades takes no part. The formulas are those of scipy, krippendorff and
scikit-learn, which are loaded when they are first needed. What is undefined has a reason, never a number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, NamedTuple, TypeAlias

Grades: TypeAlias = Sequence[int | None]
Array: TypeAlias = Any  # numpy integers of shape (pairs,)

EXCLUDE, ZERO = "exclude", "zero"  # what a missing grade does: it leaves its pair out, or counts as grade 0
STAGES = ("before", "after")  # adjudication: judge against judge, and judges against the label
NO_PAIRS = "no pairs"
ONE_PAIR = "one pair only"
CONSTANT_RATER = "constant rater"
ALL_IDENTICAL = "all grades identical"


class Result(NamedTuple):
    """A finite value, or None and the reason why there is none."""

    value: float | None
    reason: str = ""


def coefficients(first: Grades, second: Grades) -> dict[str, Result]:
    """Every coefficient of the registry, by its key.

    Raises ValueError where the lengths differ, and for anything that is neither None nor a whole number from 0 up: a
    NaN, a 1.5, or a -1 that means "missing" in someone's file.
    """
    import numpy as np

    both = [(a, b) for a, b in zip(map(_checked, first), map(_checked, second), strict=True) if None not in (a, b)]
    one, other = np.array(both, dtype=np.int64).reshape(-1, 2).T
    results = {}
    for each in REGISTRY:
        reason = each.undefined(one, other) if both else NO_PAIRS
        results[each.key] = Result(None, reason) if reason else Result(float(each.function(one, other)))
    return results


def mean(first: Result, second: Result) -> Result:
    """Of the two judges, each against the label. Undefined if one of the two is."""
    if first.value is not None and second.value is not None:
        return Result((first.value + second.value) / 2)
    if first.reason == second.reason:
        return first
    reasons = [f"judge {number}: {each.reason}" for number, each in enumerate((first, second), 1) if each.reason]
    return Result(None, "; ".join(reasons))


def _checked(grade: object) -> int | None:
    if grade is None:
        return None
    if not isinstance(grade, Integral) or grade < 0:
        raise ValueError(f"A grade is a whole number from 0 up, or None where it is missing; got {grade!r}.")
    return int(grade)


# When a coefficient is undefined, although there are pairs


def _no_order(one: Array, other: Array) -> str:
    """Ranks that are all equal have no variance."""
    if len(one) == 1:
        return ONE_PAIR
    return CONSTANT_RATER if min(len(set(one)), len(set(other))) == 1 else ""


def _no_variation(one: Array, other: Array) -> str:
    """Where only one grade was used, chance agrees always: 0/0."""
    return ALL_IDENTICAL if len({*one, *other}) == 1 else ""


def _never(one: Array, other: Array) -> str:
    return ""


# What a coefficient is, where it is defined


def _spearman(one: Array, other: Array) -> float:
    from scipy.stats import spearmanr

    return spearmanr(one, other).statistic


def _kendall(one: Array, other: Array) -> float:
    from scipy.stats import kendalltau

    return kendalltau(one, other, variant="b").statistic


def _alpha(one: Array, other: Array) -> float:
    import krippendorff

    return krippendorff.alpha([one, other], level_of_measurement="ordinal")


def _kappa(weights: Literal["linear", "quadratic"] | None = None) -> Callable[[Array, Array], float]:
    def function(one: Array, other: Array) -> float:
        from sklearn.metrics import cohen_kappa_score

        # All grades up to the highest, because scikit-learn weights by place among the labels.
        labels = range(max(one.max(), other.max()) + 1)
        return cohen_kappa_score(one, other, labels=list(labels), weights=weights)

    return function


def _percent(one: Array, other: Array) -> float:
    return 100 * (one == other).mean()


def _percent_within_one(one: Array, other: Array) -> float:
    return 100 * (abs(one - other) <= 1).mean()


@dataclass(frozen=True)
class Coefficient:
    """`key` names it in reports and files, `symbol` and `name` on pages. Those of CSFCube's paper are shown at first.

    No value lies above `highest`. Below 0, two raters agree less than by chance.
    """

    key: str
    symbol: str
    name: str
    function: Callable[[Array, Array], float]
    undefined: Callable[[Array, Array], str]
    of_paper: bool = False
    highest: float = 1.0
    decimals: int = 2


REGISTRY = (
    Coefficient("spearman", "ρ", "Spearman’s ρ", _spearman, _no_order, of_paper=True),
    Coefficient("alpha", "α", "Krippendorff’s α, ordinal", _alpha, _no_variation, of_paper=True),
    Coefficient("kappa", "κ", "Cohen’s κ", _kappa(), _no_variation, of_paper=True),
    Coefficient("percent", "%", "Percent agreement", _percent, _never, True, highest=100, decimals=1),
    Coefficient("kendall", "τ", "Kendall’s τ-b", _kendall, _no_order),
    Coefficient("kappa_linear", "κ lin", "Cohen’s κ, linear weights", _kappa("linear"), _no_variation),
    Coefficient("kappa_quadratic", "κ quad", "Cohen’s κ, quadratic weights", _kappa("quadratic"), _no_variation),
    Coefficient("percent_within_1", "% ±1", "Within one grade", _percent_within_one, _never, highest=100, decimals=1),
)
