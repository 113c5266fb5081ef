"""How much retrievers overlap, and which of them MDCR would take."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.strategies import choose_models, jaccard_matrix

LISTS = {
    "x": {"q1": ["a", "b", "c", "d"], "q2": ["a", "b"]},
    "y": {"q1": ["b", "a", "e"], "q2": ["c", "a"]},
    "z": {"q1": ["f", "g"]},
}


def test_overlap_is_the_mean_jaccard_over_the_query_papers():
    matrix = jaccard_matrix(LISTS, 3)
    assert matrix.names == ("x", "y", "z")
    assert matrix.of("x", "y") == pytest.approx((2 / 4 + 1 / 3) / 2)
    assert matrix.of("x", "z") == 0.0
    assert [matrix.of(name, name) for name in "xyz"] == [1.0, 1.0, 1.0]


def test_overlap_is_counted_down_to_the_depth_only():
    assert jaccard_matrix(LISTS, 1).of("x", "y") == 0.0
    assert jaccard_matrix(LISTS, 2).of("x", "y") == pytest.approx((1 + 1 / 3) / 2)


def test_two_retrievers_with_nothing_have_no_overlap_to_speak_of():
    matrix = jaccard_matrix({"x": {"q": []}, "y": {}, "z": {"q": ["a"]}}, 5)
    assert matrix.of("x", "y") is None
    assert matrix.of("x", "z") == 0.0
    assert matrix.mean("x") == 0.0
    assert jaccard_matrix({"x": {}}, 5).mean("x") is None


def test_the_models_that_agree_least_are_chosen():
    matrix = jaccard_matrix(LISTS, 3)
    assert [matrix.mean(name) for name in "xyz"] == pytest.approx([5 / 24, 5 / 24, 0.0])
    assert choose_models(matrix, 2) == ["z", "x"]  # x and y are equal, so by name
    assert choose_models(matrix, 3) == ["z", "x", "y"]


@pytest.mark.parametrize("count", [0, 4])
def test_no_more_models_can_be_chosen_than_there_are(count):
    with pytest.raises(ValueError, match=f"count must be from 1 to 3 models, got {count}"):
        choose_models(jaccard_matrix(LISTS, 3), count)


def test_a_depth_below_one_is_refused():
    with pytest.raises(ValueError, match="depth must be at least 1, got 0"):
        jaccard_matrix(LISTS, 0)


rankings = st.dictionaries(st.sampled_from("pqr"), st.lists(st.sampled_from("abcdef"), unique=True))


@given(st.dictionaries(st.sampled_from("xyz"), rankings), st.integers(1, 7))
def test_the_matrix_is_symmetric_and_between_nought_and_one(lists, depth):
    matrix = jaccard_matrix(lists, depth)
    for first in matrix.names:
        for second in matrix.names:
            value = matrix.of(first, second)
            assert value == matrix.of(second, first)
            assert value is None or 0 <= value <= 1


@given(st.data(), st.dictionaries(st.sampled_from("xyz"), rankings, min_size=1))
def test_the_order_of_the_retrievers_does_not_matter(data, lists):
    turned = dict(data.draw(st.permutations(list(lists.items()))))
    assert jaccard_matrix(turned, 3) == jaccard_matrix(lists, 3)
