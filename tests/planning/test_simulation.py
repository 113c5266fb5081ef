"""Adaptive orders of judging, worked by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.ordering import shuffled
from planning.simulation import METHODS, judgments_needed, simulate

# Relevant documents have capitals.
LISTS = {
    "x": ["A", "B", "c", "D", "e"],
    "y": ["f", "B", "g", "H"],
    "z": ["h", "i", "J"],
}


def seed_for(order):
    for number in range(1000):
        if shuffled(order, seed=str(number), purpose="simulation", query="q") == order:
            return str(number)
    raise AssertionError(order)


SEED = seed_for(["x", "y", "z"])


def judged(lists):
    return {docno: docno.isupper() for docnos in lists.values() for docno in docnos}


def by_hand(method, lists=LISTS, **options):
    return simulate(method, lists, judged(lists), SEED, "q", **options)


def test_by_rank_goes_round_the_sources():
    simulation = by_hand("by_rank")
    # Round 2: B is x's; y passes over it and gives g.
    assert "".join(simulation.order) == "AfhBgicHJDe"
    assert simulation.curve == (1, 1, 1, 2, 2, 2, 2, 3, 4, 5, 5)


def test_move_to_front_stays_with_a_source_until_it_misses():
    simulation = by_hand("move_to_front")
    # x: A, B, then c misses. y misses with f, z with h; all have one miss, so x again: D, then e
    # misses. y: B is judged, g misses; z: i misses; y and z have two: H, then y ends; z: J.
    assert "".join(simulation.order) == "ABcfhDegiHJ"


def test_max_mean_judges_the_source_with_the_highest_mean():
    simulation = by_hand("max_mean")
    # Means: x 1/2 → A 2/3 → B 3/4 → c 3/5 → D 4/6 → e 4/7, at its end. Then y 1/2 → f 1/3;
    # z 1/2 → h 1/3; y: g 1/4; z: i 1/4; y: H, at its end; z: J.
    assert "".join(simulation.order) == "ABcDefhgiHJ"


def test_the_judgments_needed_are_the_first_that_reach_the_target():
    assert by_hand("by_rank", target=1.0).needed == 10
    assert by_hand("by_rank", target=0.8).needed == 9
    assert by_hand("max_mean", target=0.6).needed == 4
    assert by_hand("move_to_front", target=0.61).needed == 10  # 3.05 of 5 means 4


def test_without_a_relevant_document_the_number_is_undefined():
    simulation = by_hand("max_mean", {"x": ["a", "b"]})
    assert (simulation.needed, simulation.relevant, simulation.judged) == (None, 0, 2)
    assert by_hand("max_mean", {}).needed is None


def test_unjudged_documents_are_passed_over():
    simulation = simulate(
        "move_to_front", {"x": ["a", "B", "c"]}, {"B": True, "c": False}, "s", "q"
    )
    assert (simulation.order, simulation.needed) == (("B", "c"), 1)


@pytest.mark.parametrize("target", [0, -1, 1.01])
def test_a_target_that_is_no_share_is_refused(target):
    with pytest.raises(ValueError, match="the target must be"):
        judgments_needed([1], target)


def test_an_unknown_method_is_refused_with_the_names_of_the_known():
    with pytest.raises(ValueError, match="'oracle'; use one of: by_rank, move_to_front, max_mean"):
        by_hand("oracle")


lists = st.dictionaries(st.sampled_from("xyz"), st.lists(st.sampled_from("abcdEFGh")))


@given(data=st.data(), lists=lists, method=st.sampled_from(sorted(METHODS)))
def test_every_document_is_judged_once_whatever_the_order_of_the_mapping(data, lists, method):
    turned = dict(data.draw(st.permutations(list(lists.items()))))
    simulation = simulate(method, lists, judged(lists), "s", "q")
    assert sorted(simulation.order) == sorted(judged(lists))
    assert simulation.relevant == sum(judged(lists).values())
    assert simulate(method, turned, judged(lists), "s", "q") == simulation


@given(lists=lists, method=st.sampled_from(sorted(METHODS)), target=st.floats(0.01, 1))
def test_one_judgment_fewer_than_needed_does_not_reach_the_target(lists, method, target):
    simulation = simulate(method, lists, judged(lists), "s", "q", target)
    if simulation.needed is None:
        assert simulation.relevant == 0
    else:
        assert simulation.curve[simulation.needed - 1] >= target * simulation.relevant
        assert (
            simulation.needed == 1
            or simulation.curve[simulation.needed - 2] < target * simulation.relevant + 1e-9
        )
