"""The rows of a leaderboard, by hand."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from scipy import stats

from evaluation.latex import latex_text
from evaluation.leaderboard import Line, deviations_of, mean_row, ranked
from evaluation.score_tables import Queries, as_columns, from_columns, summary_rows

TABLE = pd.DataFrame({"AP": [0.2, 0.4, 0.9], "X": [0.5, math.nan, 0.7]}, index=["a", "b", "c"])
QUERIES = Queries({"a": "m", "b": "m", "c": "r", "d": "r"}, {"a": 1, "b": 2, "c": 2, "d": 1})


def rows():
    found = summary_rows(TABLE, QUERIES, {"b", "d"})
    return {(row.facet, row.split): row for row in found}


def test_the_test_mean_is_the_mean_of_the_folds_means():
    row = rows()["all", "test"]

    assert row.measures["AP"] == pytest.approx((0.2 + (0.4 + 0.9) / 2) / 2)
    assert row.folds["AP"] == (pytest.approx(0.2), pytest.approx(0.65))
    assert rows()["all", "all"].measures["AP"] == pytest.approx(0.5)
    assert (row.queries, row.left_out, row.without_list) == (3, 1, 1)


def test_a_facet_has_its_own_queries_and_a_fold_without_them_has_no_mean():
    facet = rows()["r", "test"]

    assert (facet.queries, facet.left_out) == (1, 1)
    assert facet.measures["AP"] is None
    assert rows()["r", "all"].measures["AP"] == 0.9


def test_undefined_values_are_no_part_of_a_mean_and_survive_storage():
    assert rows()["all", "all"].measures["X"] == pytest.approx(0.6)
    pd.testing.assert_frame_equal(from_columns(as_columns(TABLE)), TABLE.rename_axis("query"))


def test_the_interval_is_that_of_scipy_and_one_query_has_none():
    values = TABLE["AP"].to_numpy()
    low, high = stats.t.interval(0.95, 2, loc=values.mean(), scale=stats.sem(values))

    assert rows()["all", "all"].intervals["AP"] == (pytest.approx(low), pytest.approx(high))
    assert rows()["r", "all"].intervals["AP"] is None


def test_repetitions_have_a_mean_and_a_sample_deviation():
    row = rows()["all", "all"]
    other = row._replace(measures={"AP": 0.7, "X": None})

    assert mean_row([row, other]).measures == {"AP": pytest.approx(0.6), "X": None}
    assert deviations_of([row, other]) == {"AP": pytest.approx(0.2 / math.sqrt(2))}


def test_equal_values_share_a_rank_and_undefined_ones_come_last():
    row = rows()["all", "all"]
    values = {"a": 0.5, "b": 0.7, "c": 0.5, "d": None, "e": 0.1}
    lines = [Line(name, ["run"], False, row, None) for name in values]

    assert [(line.name, line.rank) for line in ranked(lines, lambda line: values[line.name])] == [
        ("b", 1), ("a", 2), ("c", 2), ("e", 4), ("d", 5)
    ]  # fmt: skip


def test_names_are_safe_in_latex():
    assert latex_text(r"a_b & 50% \x") == r"a\_b \& 50\% \textbackslash{}x"
