"""Coefficients: what they are, when they are undefined and why, and what is no grade."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.coefficients import (
    ALL_IDENTICAL,
    CONSTANT_RATER,
    NO_PAIRS,
    ONE_PAIR,
    REGISTRY,
    Result,
    coefficients,
    mean,
)

KEYS = [each.key for each in REGISTRY]
RANKS = ("spearman", "kendall")
CHANCE = ("alpha", "kappa", "kappa_linear", "kappa_quadratic")
GRADES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30)


def values(first, second) -> dict[str, float | None]:
    return {key: result.value for key, result in coefficients(first, second).items()}


def test_a_worked_example():
    """Cohen (1960), table 1, has p_o = .70, p_e = .41 and κ = .492; here as grades of 200 pairs."""
    table = {(0, 0): 88, (0, 1): 14, (0, 2): 18, (1, 0): 10, (1, 1): 40, (1, 2): 10, (2, 0): 2, (2, 1): 6, (2, 2): 12}
    pairs = [grades for grades, number in table.items() for _ in range(number)]
    found = values(*zip(*pairs, strict=True))
    assert found["kappa"] == pytest.approx(0.492, abs=5e-4)
    assert found["percent"] == pytest.approx(70)
    assert found["percent_within_1"] == pytest.approx(90)


def test_alpha_of_a_worked_example():
    """Krippendorff (2011), section B: ten units of two observers, α = 0.095 for two values."""
    first, second = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert values(first, second)["alpha"] == pytest.approx(0.095, abs=5e-4)


@given(GRADES)
@settings(max_examples=60, deadline=None)
def test_they_equal_their_definitions(pairs):
    """Those that a library could be asked for in a wrong way: weights by grade, ties corrected in both."""
    first, second = zip(*pairs, strict=True)
    found, n = values(first, second), len(pairs)
    for key, power in (("kappa_linear", 1), ("kappa_quadratic", 2)):
        expected = sum(abs(a - b) ** power for a in first for b in second) / n
        observed = sum(abs(a - b) ** power for a, b in pairs)
        assert found[key] == (pytest.approx(1 - observed / expected) if expected else None)
    signs = [(math.copysign(a != c, a - c), math.copysign(b != d, b - d)) for (a, b), (c, d) in combinations(pairs, 2)]
    untied = math.prod(sum(sign[side] != 0 for sign in signs) for side in (0, 1))
    balance = sum(one * other for one, other in signs)
    assert found["kendall"] == (pytest.approx(balance / math.sqrt(untied)) if untied else None)


@given(GRADES)
@settings(max_examples=40, deadline=None)
def test_neither_the_order_of_pairs_nor_of_raters_matters(pairs):
    first, second = zip(*pairs, strict=True)
    expected = values(first, second)
    for other in (values(second, first), values(first[::-1], second[::-1])):
        assert {key: value and round(value, 9) for key, value in other.items()} == {
            key: value and round(value, 9) for key, value in expected.items()
        }


def test_equal_grades_agree_fully():
    assert values([0, 1, 3], [0, 1, 3]) == pytest.approx({each.key: each.highest for each in REGISTRY})


@pytest.mark.parametrize(
    ("first", "second", "ranks", "chance", "percent"),
    [
        ([], [], NO_PAIRS, NO_PAIRS, NO_PAIRS),
        ([None, 1], [1, None], NO_PAIRS, NO_PAIRS, NO_PAIRS),
        ([2], [2], ONE_PAIR, ALL_IDENTICAL, ""),
        ([2], [1], ONE_PAIR, "", ""),
        ([0, 0, 0], [0, 1, 2], CONSTANT_RATER, "", ""),
        ([1, 1, None], [1, 1, 3], CONSTANT_RATER, ALL_IDENTICAL, ""),
    ],
)
def test_what_is_undefined_has_a_reason(first, second, ranks, chance, percent):
    expected = dict.fromkeys(KEYS, percent) | dict.fromkeys(RANKS, ranks) | dict.fromkeys(CHANCE, chance)
    found = coefficients(first, second)
    assert {key: result.reason for key, result in found.items()} == expected
    assert all((result.value is None) == bool(result.reason) for result in found.values())


def test_a_pair_without_both_grades_takes_no_part():
    assert coefficients([0, 1, 2, None, 3], [0, 2, 1, 3, None]) == coefficients([0, 1, 2], [0, 2, 1])


@pytest.mark.parametrize("grade", [-1, math.nan, 1.5, "2"])
def test_what_is_no_grade_is_refused(grade):
    with pytest.raises(ValueError, match="whole number"):
        coefficients([0, grade], [0, 1])
    with pytest.raises(ValueError, match="whole number"):
        coefficients([0, None], [0, grade])


def test_the_mean_needs_both():
    assert mean(Result(0.5), Result(1.0)) == Result(0.75)
    assert mean(Result(0.5), Result(None, NO_PAIRS)) == Result(None, f"judge 2: {NO_PAIRS}")
    assert mean(Result(None, NO_PAIRS), Result(None, NO_PAIRS)) == Result(None, NO_PAIRS)
    assert ONE_PAIR in mean(Result(None, ONE_PAIR), Result(None, NO_PAIRS)).reason
