"""Coefficients of many tables at once are those of public tools on each of them."""

from __future__ import annotations

import warnings

import krippendorff
import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import accuracy_score, cohen_kappa_score

from agreement.coefficients import COEFFICIENTS, CrossTable
from agreement.consistency.stacked_tables import STACKED, alphas


def some_tables() -> np.ndarray:
    """Of two to five grades' worth of pairs, dense and sparse ones."""
    random = np.random.default_rng(11)
    tables = [random.poisson(mean, (4, 4)) for mean in (0.1, 0.4, 2, 30) for _ in range(25)]
    return np.array([table for table in tables if table.sum() > 1], dtype=float)


def grades_of(table: np.ndarray) -> tuple[list[int], list[int]]:
    cells = [(row, column) for (row, column), n in np.ndenumerate(table) for _ in range(int(n))]
    first, second = zip(*cells, strict=True)
    return list(first), list(second)


TOOLS = {
    "spearman": lambda a, b: spearmanr(a, b).statistic,
    "alpha": lambda a, b: krippendorff.alpha([a, b], level_of_measurement="ordinal"),
    "kappa": cohen_kappa_score,
    "percent": lambda a, b: 100 * accuracy_score(a, b),
}


def test_every_coefficient_of_the_paper_has_its_stacked_form():
    assert list(STACKED) == [coefficient.key for coefficient in COEFFICIENTS]


@pytest.mark.parametrize("key", STACKED)
def test_each_value_is_that_of_a_public_tool(key):
    tables = some_tables()
    compared = 0
    for table, value in zip(tables, STACKED[key](tables), strict=True):
        first, second = grades_of(table)
        if (key == "spearman" and 1 in (len({*first}), len({*second}))) or (
            len({*first, *second}) == 1 and key != "percent"
        ):
            assert np.isnan(value)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert value == pytest.approx(TOOLS[key](first, second), abs=1e-12)
            compared += 1
    assert compared > 60


@pytest.mark.parametrize("coefficient", COEFFICIENTS, ids=lambda each: each.key)
def test_the_registry_has_the_same_values_and_is_undefined_at_the_same_tables(coefficient):
    tables = some_tables()
    for table, value in zip(tables, STACKED[coefficient.key](tables), strict=True):
        cells = [(cell, int(number)) for cell, number in np.ndenumerate(table) if number]
        result = coefficient.function(CrossTable(cells))
        if result.value is None:
            assert np.isnan(value)
        else:
            assert value == pytest.approx(result.value, abs=1e-12)


def test_half_of_the_coincidences_of_three_raters_has_their_alpha():
    random = np.random.default_rng(5)
    grades = random.integers(0, 4, (3, 60))
    coincidences = np.zeros((4, 4))
    for unit in grades.T:
        for i in range(3):
            for j in range(3):
                coincidences[unit[i], unit[j]] += (i != j) / 2
    (value,) = alphas(coincidences[None] / 2)
    assert value == pytest.approx(krippendorff.alpha(grades, level_of_measurement="ordinal"))
