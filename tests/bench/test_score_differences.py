"""The scoring benchmark fails where the values of two programs differ."""

from __future__ import annotations

import math

import pytest

from bench.score_differences import Difference, differences, largest, means_of

OURS = {"AP": {"q1": 0.5, "q2": 0.25}, "Judged@20": {"q1": 1.0, "q2": 0.5}}
THEIRS = {"AP": {"q1": 0.5, "q2": 0.25, "q3": 0.0}, "Judged@20": {"q1": 1.0, "q2": 0.5, "q3": 0.9}}


def compared(ours=OURS, theirs=THEIRS):
    return list(differences(ours, theirs, relevant=["q1", "q2"], without=["q3"]))


def test_queries_and_means_are_compared_under_both_rules():
    found = compared()
    assert all(difference.is_noise for difference in found)
    means = {(each.measure, each.place): each.ours for each in found if "mean" in each.place}
    assert means == {
        ("AP", "the mean of 2 queries"): 0.375,
        ("AP", "the mean of 3 queries"): 0.25,
        ("Judged@20", "the mean of 2 queries"): 0.75,
    }
    assert means_of(OURS, ["q1", "q2", "q3"], zero_for=["q3"]) == {"AP": 0.25}
    assert means_of(OURS, [], zero_for=[]) == {}


def test_without_such_queries_there_is_one_mean():
    found = list(differences(OURS, OURS, relevant=["q1", "q2"], without=[]))
    assert [each.measure for each in found if "mean" in each.place] == ["AP", "Judged@20"]


@pytest.mark.parametrize("change", [1e-9, -0.0045, math.nan])
def test_a_value_that_differs_by_more_than_rounding_is_named(change):
    theirs = {**THEIRS, "AP": {**THEIRS["AP"], "q2": 0.25 + change}}
    found = compared(theirs=theirs)
    worst = largest(found)
    assert not worst.is_noise
    assert worst.measure == "AP"
    query = next(each for each in found if each.place == "query q2" and each.measure == "AP")
    assert not query.is_noise
    assert str(query).startswith("AP differs by ")
    assert "for query q2: 0.25 and " in str(query)


def test_rounding_is_no_difference():
    theirs = {**THEIRS, "AP": {**THEIRS["AP"], "q2": 0.25 + 1e-15}}
    assert largest(compared(theirs=theirs)).is_noise


@pytest.mark.parametrize("missing", [{"Judged@20": OURS["Judged@20"]}, {**OURS, "AP": {"q1": 0.5}}])
def test_a_value_that_one_program_lacks_is_a_difference(missing):
    assert math.isnan(largest(compared(ours=missing)).size)
    assert math.isnan(largest(compared(theirs=missing)).size)


def test_a_missing_value_is_larger_than_any_difference():
    missing, large = Difference("AP", "query q1", math.nan, 0.5), Difference("AP", "q", 1.0, 0.0)
    assert largest([large, missing]) is missing
    assert largest([missing, large]) is missing
