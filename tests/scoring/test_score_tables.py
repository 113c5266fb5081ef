"""The rows of a leaderboard, by hand."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from scipy import stats

from evaluation.leaderboard.rows import LeaderboardLine, deviations_of, mean_row, ranked
from scoring.folds import Folds
from scoring.latex import latex_text
from scoring.score_tables import (
    ListCounts,
    MeansRow,
    QueryGroups,
    as_columns,
    field_rows,
    from_columns,
    summary_rows,
)

TABLE = pd.DataFrame({"AP": [0.2, 0.4, 0.9], "X": [0.5, math.nan, 0.7]}, index=["a", "b", "c"])
FACETS = {"a": "m", "b": "m", "c": "r", "d": "r"}
FOLDS = Folds({"a": 1, "b": 2, "c": 2, "d": 1})
LISTS = ListCounts({"b", "d"}, {"a": 3, "c": 4}, {"a": 1})


def rows(folds: Folds = FOLDS):
    found = summary_rows(TABLE, QueryGroups(FACETS, folds), LISTS)
    return {(row.facet, row.split): row for row in found}


def test_the_test_mean_is_the_mean_of_the_folds_means():
    row = rows()["all", "test"]

    assert row.measures["AP"] == pytest.approx((0.2 + (0.4 + 0.9) / 2) / 2)
    assert row.folds["AP"] == [pytest.approx(0.2), pytest.approx(0.65)]
    assert rows()["all", "all"].measures["AP"] == pytest.approx(0.5)
    assert (row.queries, row.left_out, row.without_list) == (3, 1, 1)


def test_the_development_mean_is_over_the_queries_that_fold_1_does_not_test():
    """Otherwise it would be the test mean for two folds of the same size."""
    row = rows()["all", "dev"]

    assert row.measures["AP"] == pytest.approx((0.4 + 0.9) / 2)
    assert (row.queries, row.left_out) == (2, 0)
    assert rows()["m", "dev"].measures["AP"] == 0.4


def test_a_single_fold_tests_its_queries_and_no_others():
    found = rows(Folds({"a": 1, "b": 0, "c": 1}))

    assert found["all", "test"].measures["AP"] == pytest.approx((0.2 + 0.9) / 2)
    assert found["all", "test"].queries == 2
    assert found["all", "dev"].measures["AP"] == 0.4


def test_three_folds_have_three_means():
    row = rows(Folds({"a": 1, "b": 2, "c": 3}))["all", "test"]

    assert row.folds["AP"] == [0.2, 0.4, 0.9]
    assert row.measures["AP"] == pytest.approx(0.5)


def test_without_folds_there_are_means_over_all_queries_only():
    assert {split for _, split in rows(Folds())} == {"all"}


def test_a_facet_has_its_own_queries_and_a_fold_without_them_has_no_mean():
    facet = rows()["r", "test"]

    assert (facet.queries, facet.left_out) == (1, 1)
    assert facet.measures["AP"] is None
    assert rows()["r", "all"].measures["AP"] == 0.9


def test_the_documents_of_a_row_are_those_of_its_scored_queries():
    assert (rows()["all", "all"].unjudged, rows()["all", "all"].lacking) == (7, 1)
    assert (rows()["r", "all"].unjudged, rows()["r", "all"].lacking) == (4, 0)
    assert not rows()["m", "all"].is_re_ranking
    only_judged = summary_rows(TABLE, QueryGroups(FACETS, Folds()), ListCounts({"b"}))
    assert all(row.is_re_ranking for row in only_judged)
    without_lists = summary_rows(TABLE, QueryGroups(FACETS, Folds()), ListCounts({"a", "b", "c"}))
    assert not any(row.is_re_ranking for row in without_lists)


def test_a_stored_row_is_the_same_row():
    row = rows()["all", "test"]

    assert MeansRow(**row._asdict()) == row


def test_a_mean_over_fields_weighs_each_field_alike():
    queries = QueryGroups(FACETS, fields={"a": "Art", "b": "Art", "c": "Law", "d": "Law"})
    found = {
        (row.facet, row.field): row for row in field_rows(TABLE, queries, LISTS, candidates="bm25")
    }

    assert found["all", "Art"].measures["AP"] == pytest.approx(0.3)
    assert found["all", "Law"].measures["AP"] == 0.9
    mean = found["all", "mean over fields"]
    assert mean.measures["AP"] == pytest.approx((0.3 + 0.9) / 2)
    assert (mean.queries, mean.left_out, mean.candidates) == (3, 1, "bm25")
    assert mean.intervals["AP"] is None
    assert found["m", "mean over fields"].measures["AP"] == pytest.approx(0.3)
    assert ("m", "Art") not in found


def test_a_field_without_a_scored_query_is_no_part_of_the_mean():
    queries = QueryGroups(FACETS, fields={"a": "Art", "b": "Art", "c": "Art", "d": "Law"})
    found = {row.field: row for row in field_rows(TABLE, queries, LISTS) if row.facet == "all"}

    assert found.keys() == {"mean over fields", "Art"}
    assert found["mean over fields"].measures["AP"] == pytest.approx(0.5)


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
    test = rows()["all", "test"]
    assert mean_row([test, test]).folds["AP"] == test.folds["AP"]


def test_equal_values_share_a_rank_and_undefined_ones_come_last():
    row = rows()["all", "all"]
    values = {"a": 0.5, "b": 0.7, "c": 0.5, "d": None, "e": 0.1}
    lines = [LeaderboardLine(name, ["run"], False, row, None) for name in values]

    assert [(line.name, line.rank) for line in ranked(lines, lambda line: values[line.name])] == [
        ("b", 1), ("a", 2), ("c", 2), ("e", 4), ("d", 5)
    ]  # fmt: skip


def test_names_are_safe_in_latex():
    assert latex_text(r"a_b & 50% \x") == r"a\_b \& 50\% \textbackslash{}x"
