"""Coefficients of many tables at once are those of public tools, and those of each table."""

from __future__ import annotations

import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.metrics import accuracy_score, cohen_kappa_score

from agreement.coefficients import REGISTRY, cross_table
from agreement.consistency.stacked_tables import (
    COEFFICIENTS_OF_TABLES,
    alphas,
    resampled_tables,
    table_of,
)
from corpus.scale import DEFAULT_SCALE, Scale

grades = st.integers(0, 3)
SCALES = [Scale(3, 2), Scale(3, 1), Scale(4, 3)]


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


@pytest.mark.parametrize("key", TOOLS)
def test_each_value_is_that_of_a_public_tool(key):
    tables = some_tables()
    compared = 0
    for table, value in zip(
        tables, COEFFICIENTS_OF_TABLES[key](tables, DEFAULT_SCALE), strict=True
    ):
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


def test_every_coefficient_of_the_registry_has_one_of_many_tables():
    assert list(COEFFICIENTS_OF_TABLES) == [coefficient.key for coefficient in REGISTRY]


@given(
    pairs=st.lists(st.tuples(grades, grades), min_size=1, max_size=40),
    scale=st.sampled_from(SCALES),
)
def test_the_coefficients_of_many_tables_are_those_of_each(pairs, scale):
    table = cross_table([a for a, _ in pairs], [b for _, b in pairs], scale)

    for coefficient in REGISTRY:
        (value,) = COEFFICIENTS_OF_TABLES[coefficient.key](table_of(table), scale)
        expected = coefficient.function(table).value
        if expected is None:
            assert np.isnan(value), coefficient.key
        else:
            assert value == pytest.approx(expected, abs=1e-9), coefficient.key


def test_resampled_tables_have_as_many_pairs_and_only_cells_that_occur():
    table = cross_table([0, 0, 3], [1, 1, 2])

    tables = resampled_tables(table, "seed", 200)

    assert tables.shape == (200, 4, 4)
    assert (tables.sum(axis=(1, 2)) == 3).all()
    assert (tables[:, 0, 1] + tables[:, 3, 2] == 3).all()
    assert tables[:, 0, 1].mean() == pytest.approx(2, abs=0.2)
