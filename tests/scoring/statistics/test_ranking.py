"""The order and the ranks of scores."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from scoring.statistics.ranking import ranked, ranks_of


def test_equal_scores_share_the_best_rank():
    assert ranks_of({"a": 0.5, "b": 0.9, "c": 0.5, "d": 0.1}) == {"b": 1, "a": 2, "c": 2, "d": 4}
    assert ranks_of({}) == {}


@given(st.dictionaries(st.text(), st.integers(0, 5)))
def test_ranks_are_those_of_scipy(scores):
    expected = rankdata([-score for score in scores.values()], method="min").tolist()
    assert list(ranks_of(scores).values()) == expected


def test_equal_scores_are_ranked_by_name():
    assert ranked({"b": 1.0, "a": 1.0, "c": 2.0}) == ["c", "a", "b"]


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
def test_a_score_that_is_not_finite_cannot_be_ranked(score):
    with pytest.raises(ValueError, match='the score of "a" must be finite'):
        ranked({"a": score})
