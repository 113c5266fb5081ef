"""Systems against a baseline: the same queries for all, adjusted for the number of systems."""

from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd
import pytest
from scipy import stats

from evaluation.statistics.comparison import compare, compare_all_pairs
from evaluation.statistics.paired import NO_VARIANCE, TOO_FEW_QUERIES

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
    assert compare_all_pairs(VALUES.head(1)).undefined == TOO_FEW_QUERIES


def test_no_queries_and_an_unknown_baseline():
    comparison = compare(VALUES.head(0), "bm25")
    assert comparison.rows[0].mean.undefined == "no queries"
    assert comparison.detectable_median is None
    with pytest.raises(ValueError, match='Unknown baseline "x"'):
        compare(VALUES, "x")
