"""Systems against a baseline: the same queries for all, adjusted for the number of systems."""

from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd
import pytest
from scipy import stats

from scoring.statistics.comparison import SEED, by_mean, compare, compare_all_pairs
from scoring.statistics.multiple import holm, tukey
from scoring.statistics.paired import (
    FLIPS,
    NO_VARIANCE,
    TOO_FEW_QUERIES,
    effect_size,
    mean_interval,
    sign_flip_tests,
    smallest_difference,
    t_test,
    wins_ties_losses,
)

VALUES = pd.DataFrame(
    {
        "bm25": [0.1, 0.5, 0.3, 0.7, 0.2],
        "copy": [0.1, 0.5, 0.3, 0.7, 0.2],
        "encoder": [0.3, 0.6, 0.2, 0.9, 0.5],
        "random": [0.0, 0.1, 0.2, 0.1, 0.2],
    },
    index=["q1", "q2", "q3", "q4", "q5"],
)


def test_systems_are_compared_with_the_baseline_from_the_highest_mean_down():
    comparison = compare(VALUES, "bm25")
    assert [row.system for row in comparison.rows] == ["encoder", "bm25", "copy", "random"]
    encoder, baseline, copy, _ = comparison.rows
    assert baseline.versus is None
    assert encoder.versus.counts == (4, 0, 1)
    assert encoder.versus.difference.value == pytest.approx(0.14)
    expected = stats.ttest_rel(VALUES["encoder"], VALUES["bm25"])
    assert encoder.versus.t.value == pytest.approx(expected.pvalue)
    # Two t tests are defined; the smaller p doubles, and the randomization tests are three.
    smaller = min(row.versus.t.value for row in (encoder, comparison.rows[3]))
    assert min(encoder.versus.t_adjusted, comparison.rows[3].versus.t_adjusted) == 2 * smaller
    assert copy.versus.t.undefined == NO_VARIANCE
    assert copy.versus.t_adjusted is None
    assert (copy.versus.flips, copy.versus.flips_adjusted) == (1.0, 1.0)
    assert len(comparison.detectable) == 2


def test_every_number_of_a_row_is_of_the_systems_differences_to_the_baseline():
    comparison = compare(VALUES, "random", seed="a seed", flips=200)
    assert (comparison.baseline, comparison.seed, comparison.flips) == ("random", "a seed", 200)
    others = ["bm25", "copy", "encoder"]
    differences = VALUES[others].sub(VALUES["random"], axis=0)
    flips = sign_flip_tests(differences.to_numpy(), "a seed", 200)
    t_tests = [t_test(differences[name]).value for name in others]
    rows = {row.system: row for row in comparison.rows}
    for place, name in enumerate(others):
        versus, column = rows[name].versus, differences[name]
        assert rows[name].mean == mean_interval(VALUES[name])
        assert versus.difference == mean_interval(column)
        assert versus.t == t_test(column)
        assert versus.t_adjusted == holm(t_tests)[place]
        assert versus.flips == flips[place]
        assert versus.flips_adjusted == holm(flips)[place]
        assert versus.effect == effect_size(column)
        assert versus.counts == wins_ties_losses(column)
        assert versus.detectable == smallest_difference(column)
    detectable = sorted(smallest_difference(differences[name]).value for name in others)
    assert comparison.detectable == detectable
    assert comparison.detectable_median == detectable[1]
    assert compare(VALUES, "random").flips == FLIPS
    assert compare(VALUES, "random").seed == SEED


def test_a_baseline_alone_has_a_mean_and_no_comparison():
    (row,) = compare(VALUES[["bm25"]], "bm25").rows
    assert (row.mean, row.versus) == (mean_interval(VALUES["bm25"]), None)
    assert compare(VALUES[["bm25"]], "bm25").detectable_median is None


def test_equal_means_are_in_the_order_of_the_names_and_a_system_without_values_is_last():
    values = pd.DataFrame(
        {"c": [0.3, 0.2, 0.1], "b": [0.1, 0.2, 0.3], "a": [math.nan] * 3, "d": [0.9, math.nan, 0.1]}
    )
    assert by_mean(values) == ["d", "b", "c", "a"]
    assert by_mean(values.head(0)) == ["a", "b", "c", "d"]


def test_the_columns_may_be_in_any_order():
    turned = compare(VALUES[VALUES.columns[::-1]], "bm25")
    assert [row.system for row in turned.rows] == [
        row.system for row in compare(VALUES, "bm25").rows
    ]
    assert {row.system: row.versus for row in turned.rows} == {
        row.system: row.versus for row in compare(VALUES, "bm25").rows
    }


def test_a_query_that_one_system_has_no_value_for_is_left_out_of_all_and_counted():
    values = VALUES.copy()
    values.loc["q3", "random"] = math.nan
    comparison = compare(values, "bm25")
    assert (comparison.queries, comparison.left_out) == (4, 1)
    without = compare(VALUES.drop("q3").iloc[::-1], "bm25")
    assert comparison == replace(without, left_out=1)


def test_all_pairs_are_those_of_tukey_in_the_order_of_the_means():
    table = compare_all_pairs(VALUES)
    assert table.systems == ["encoder", "bm25", "copy", "random"]
    assert len(table.pairs) == 6
    assert table.pair(2, 0) == table.pair(0, 2)
    assert table.pair(0, 0) is None
    assert table.pair(1, 2).p == 1
    assert (table.queries, table.undefined) == (5, None)
    expected = tukey(VALUES[["encoder", "bm25", "copy", "random"]].to_numpy()).pairs
    assert list(table.pairs) == list(expected)
    assert table.pair(3, 1) == next(pair for pair in expected if pair[:2] == (1, 3))
    assert compare_all_pairs(VALUES.head(1)).undefined == TOO_FEW_QUERIES


def test_no_queries_and_an_unknown_baseline():
    comparison = compare(VALUES.head(0), "bm25")
    assert comparison.rows[0].mean.undefined == "no queries"
    assert comparison.detectable_median is None
    with pytest.raises(ValueError, match='Unknown baseline "x"'):
        compare(VALUES, "x")
