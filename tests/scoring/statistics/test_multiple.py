"""Holm and Tukey against worked examples and second implementations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from scoring.statistics.multiple import (
    NO_RESIDUAL,
    TOO_FEW_SYSTEMS,
    holm,
    studentized_range_tail,
    tukey,
)
from scoring.statistics.paired import t_test

SCORES = np.array(
    [
        [0.31, 0.42, 0.29, 0.50],
        [0.10, 0.15, 0.22, 0.24],
        [0.75, 0.71, 0.60, 0.80],
        [0.44, 0.52, 0.35, 0.49],
        [0.05, 0.11, 0.09, 0.20],
    ]
)


def test_holm_of_a_worked_example():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, None, 0.9]) == [1.0, None, 1.0]  # an undefined test is none


@pytest.mark.parametrize("means", [2, 3, 12, 30])
@pytest.mark.parametrize("freedom", [5, 32, 352, 5000])
def test_the_studentized_range_is_scipys(means, freedom):
    for q in (0.1, 1.0, 3.5, 8.0):
        expected = stats.studentized_range.sf(q, means, freedom)
        assert studentized_range_tail(q, means, freedom) == pytest.approx(expected, abs=1e-9)


def test_the_studentized_range_is_that_of_the_printed_tables():
    # The upper 5 % points of q for 3 means and 10 degrees, and for 10 means and 20 degrees.
    assert studentized_range_tail(3.877, 3, 10) == pytest.approx(0.05, abs=5e-5)
    assert studentized_range_tail(5.008, 10, 20) == pytest.approx(0.05, abs=5e-5)


def test_the_residual_is_that_of_least_squares_on_systems_and_queries():
    queries, systems = SCORES.shape
    design = [
        [1.0, *(s == j for j in range(1, systems)), *(q == i for i in range(1, queries))]
        for q in range(queries)
        for s in range(systems)
    ]
    _, squares, _, _ = np.linalg.lstsq(np.array(design, dtype=float), SCORES.ravel(), rcond=None)
    result = tukey(SCORES)
    assert result.freedom == 12
    assert result.residual == pytest.approx(squares[0] / 12)
    first = result.pairs[0]
    difference = SCORES[:, 0].mean() - SCORES[:, 1].mean()
    q = abs(difference) / math.sqrt(result.residual / queries)
    assert (first.first, first.second) == (0, 1)
    assert first.p == pytest.approx(stats.studentized_range.sf(q, 4, 12), abs=1e-9)
    assert first.effect.value == pytest.approx(difference / math.sqrt(result.residual))
    assert first.effect.low < first.effect.value < first.effect.high


def test_tukey_of_two_systems_is_the_paired_t_test():
    two = SCORES[:, :2]
    [pair] = tukey(two).pairs
    assert pair.p == pytest.approx(t_test(two[:, 0] - two[:, 1]).value, abs=1e-9)


def test_what_tukey_cannot_compare_is_undefined_with_a_reason():
    assert tukey(SCORES[:, :1]).undefined == TOO_FEW_SYSTEMS
    assert tukey(SCORES[:, [0, 0]]).undefined == NO_RESIDUAL
    with pytest.raises(ValueError, match="finite"):
        tukey(np.array([[math.nan, 1.0], [0.0, 1.0]]))
