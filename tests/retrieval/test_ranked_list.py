"""A ranked list by columns is the list of pairs that it stands for."""

from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pooling.strategies import contributions, pool
from retrieval.formats import RankedList, Scored, docnos_of, write_run
from tests.pooling.test_more_strategies import pools_asked_for

pairs = st.lists(
    st.builds(Scored, st.sampled_from("abcdefgh"), st.floats(allow_nan=False, allow_infinity=False))
)
places = st.integers(-10, 10)
slices = st.builds(slice, st.none() | places, st.none() | places, st.sampled_from([None, -1, 1, 2]))


@given(pairs)
def test_it_has_the_pairs_in_their_order(listed):
    ranking = RankedList.of(listed)

    assert list(ranking) == listed
    assert len(ranking) == len(listed)
    assert list(reversed(ranking)) == listed[::-1]
    assert all(type(scored) is Scored for scored in ranking)
    assert docnos_of(ranking) == docnos_of(listed) == [scored.docno for scored in listed]


@given(pairs, places)
def test_a_place_is_a_pair_or_beyond_the_end(listed, place):
    ranking = RankedList.of(listed)

    if -len(listed) <= place < len(listed):
        assert ranking[place] == listed[place]
        assert ranking.index(listed[place]) == listed.index(listed[place])
        assert listed[place] in ranking
    else:
        with pytest.raises(IndexError):
            ranking[place]


@given(pairs, slices)
def test_a_part_of_it_is_a_ranked_list_again(listed, part):
    cut = RankedList.of(listed)[part]

    assert isinstance(cut, RankedList)
    assert list(cut) == listed[part]


@given(pairs)
def test_scores_are_those_of_the_database_or_of_an_array(listed):
    docnos, scores = [scored.docno for scored in listed], [scored.score for scored in listed]

    for kept in (scores, array("d", scores), tuple(scores)):
        assert list(RankedList(docnos, kept)) == listed


@given(st.lists(st.builds(Scored, st.sampled_from("abc"), st.floats(-1, 1)), max_size=3))
def test_a_run_file_is_the_same(listed):
    by_pairs = list(write_run({"q": listed}, tag="t"))

    assert list(write_run({"q": RankedList.of(listed)}, tag="t")) == by_pairs


@given(pools_asked_for())
@settings(max_examples=100)
def test_pools_and_contributions_are_the_same(asked):
    by_columns = {name: RankedList.of(rankings) for name, rankings in asked["rankings"].items()}
    drawn = pool(**asked)

    assert pool(**{**asked, "rankings": by_columns}) == drawn
    found = [
        list(contributions(drawn, rankings, asked["forced"]))
        for rankings in (asked["rankings"], by_columns)
    ]
    assert found[0] == found[1]
