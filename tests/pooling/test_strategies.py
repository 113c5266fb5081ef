"""Pools drawn by hand, and the laws that hold for all of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.ordering import shuffled
from pooling.strategies import DrawnContribution, Entry, contributions, draw
from retrieval.formats import Scored

RANKINGS = {
    "x": ["a", "b", "c", "d", "e"],
    "y": ["b", "Q", "a", "e", "f", "g"],
    "z": ["c", "h"],
}


def by_hand(mode, n, forced=None):
    return draw(mode, RANKINGS, forced or {}, n, SEED, "Q")


def seed_for(order):
    """A seed that gives this order, so that the examples below can be followed by eye."""
    for number in range(1000):
        if shuffled(order, seed=str(number), purpose="retriever-order", query="Q") == order:
            return str(number)
    raise AssertionError(order)


SEED = seed_for(["x", "y", "z"])


def test_the_retrievers_draw_in_the_order_the_seed_gives_for_the_query_paper():
    names = list("abcdefgh")
    drawn = draw("interleaved", {name: ["1"] for name in names}, {}, 1, "s", "Q")
    assert list(drawn.order) == shuffled(names, seed="s", purpose="retriever-order", query="Q")
    assert by_hand("interleaved", 1).order == ("x", "y", "z")


def test_interleaved_draws_one_per_retriever_and_round():
    drawn = by_hand("interleaved", 2)
    assert drawn.entries == (
        Entry("a", "x", 1, 1),
        Entry("b", "y", 2, 1),
        Entry("c", "z", 3, 1),
        Entry("d", "x", 4, 4),  # b and c are pooled already
        Entry("e", "y", 5, 4),  # past the query paper and a
        Entry("h", "z", 6, 2),
    )
    assert drawn.shortfall == {"x": 0, "y": 0, "z": 0}
    assert drawn.depth == {"x": 4, "y": 4, "z": 2}


def test_sequential_draws_all_of_a_retriever_before_the_next():
    drawn = by_hand("sequential", 2)
    assert drawn.entries == (
        Entry("a", "x", 1, 1),
        Entry("b", "x", 2, 2),
        Entry("e", "y", 3, 4),
        Entry("f", "y", 4, 5),
        Entry("c", "z", 5, 1),
        Entry("h", "z", 6, 2),
    )


def test_forced_sources_come_first_whole_and_by_name():
    forced = {"seeds": ["c", "k"], "cited": ["m", "c", "Q", "m"]}
    drawn = by_hand("sequential", 1, forced)
    assert drawn.entries == (
        Entry("m", "cited", 1, None),
        Entry("c", "cited", 2, None),
        Entry("k", "seeds", 3, None),
        Entry("a", "x", 4, 1),
        Entry("b", "y", 5, 1),
        Entry("h", "z", 6, 2),
    )


def test_a_list_that_runs_out_is_a_shortfall_and_the_others_still_draw_theirs():
    drawn = by_hand("interleaved", 3)
    assert drawn.shortfall == {"x": 1, "y": 0, "z": 1}
    assert [entry.docno for entry in drawn.entries] == ["a", "b", "c", "d", "e", "h", "f"]
    # x: round 3 finds only e, which y drew in round 2.
    assert drawn.depth == {"x": 4, "y": 5, "z": 2}


def test_a_retriever_with_nothing_new_has_depth_zero():
    drawn = draw("interleaved", {"x": ["a"]}, {"cited": ["a"]}, 2, "s", "Q")
    assert (drawn.shortfall, drawn.depth) == ({"x": 2}, {"x": 0})


def test_no_retrievers_leave_the_forced_sources():
    drawn = draw("interleaved", {}, {"cited": ["a"]}, 2, "s", "Q")
    assert drawn.entries == (Entry("a", "cited", 1, None),)


@pytest.mark.parametrize("n", [0, -1])
def test_n_below_one_is_refused(n):
    with pytest.raises(ValueError, match=f"n must be at least 1, got {n}"):
        by_hand("interleaved", n)


def test_an_unknown_mode_is_refused_with_the_names_of_the_known():
    with pytest.raises(ValueError, match="'roundrobin'; use interleaved or sequential"):
        by_hand("roundrobin", 1)


def test_a_name_cannot_be_both_a_forced_source_and_a_retriever():
    with pytest.raises(ValueError, match="both forced and a retriever, got x"):
        by_hand("interleaved", 1, {"x": ["a"]})


def test_every_source_of_a_pooled_document_is_a_contribution_drawn_or_not():
    rankings = {
        "x": [Scored("a", 9.0), Scored("b", 8.0)],
        "y": [Scored("b", 0.5), Scored("Q", 0.4), Scored("a", 0.3), Scored("z", 0.2)],
    }
    forced = {"cited": ["b"]}
    docnos = {name: [scored.docno for scored in ranking] for name, ranking in rankings.items()}
    drawn = draw("interleaved", docnos, forced, 1, seed_for(["x", "y"]), "Q")
    assert list(contributions(drawn, rankings, forced)) == [
        DrawnContribution("b", "x", 2, 8.0, False, 1),
        DrawnContribution("b", "y", 1, 0.5, False, 1),
        DrawnContribution("b", "cited", None, None, True, 1),
        DrawnContribution("a", "x", 1, 9.0, True, 2),
        DrawnContribution("a", "y", 3, 0.3, False, 2),
        DrawnContribution("z", "y", 4, 0.2, True, 3),
    ]


docnos = st.lists(st.sampled_from("Qabcdefghijkl"), max_size=14)  # with repetitions
sources = st.dictionaries(st.sampled_from(["r1", "r2", "r3", "r4"]), docnos)
forced_sources = st.dictionaries(st.sampled_from(["cited", "seeds"]), docnos)
inputs = {
    "mode": st.sampled_from(["interleaved", "sequential"]),
    "rankings": sources,
    "forced": forced_sources,
    "n": st.integers(1, 8),
    "seed": st.text(max_size=3),
}


@given(**inputs)
def test_size_is_forced_plus_n_of_every_retriever_minus_shortfalls(mode, rankings, forced, n, seed):
    drawn = draw(mode, rankings, forced, n, seed, "Q")
    whole = {docno for docnos in forced.values() for docno in docnos} - {"Q"}
    assert len(drawn.entries) == len(whole) + n * len(rankings) - sum(drawn.shortfall.values())
    for name in rankings:
        by_name = [entry for entry in drawn.entries if entry.drawer == name]
        assert len(by_name) == n - drawn.shortfall[name]


@given(**inputs)
def test_no_document_twice_and_never_the_query_paper(mode, rankings, forced, n, seed):
    pooled = [entry.docno for entry in draw(mode, rankings, forced, n, seed, "Q").entries]
    assert len(set(pooled)) == len(pooled)
    assert "Q" not in pooled


@given(**inputs)
def test_every_drawer_has_the_document_at_the_rank_it_is_said_to(mode, rankings, forced, n, seed):
    drawn = draw(mode, rankings, forced, n, seed, "Q")
    for entry in drawn.entries:
        if entry.rank_of_drawer is None:
            assert entry.docno in forced[entry.drawer]
        else:
            assert rankings[entry.drawer][entry.rank_of_drawer - 1] == entry.docno
            assert entry.rank_of_drawer <= drawn.depth[entry.drawer]


@given(**inputs)
def test_forced_first_and_the_sequence_counts_from_one(mode, rankings, forced, n, seed):
    entries = draw(mode, rankings, forced, n, seed, "Q").entries
    assert [entry.sequence for entry in entries] == list(range(1, len(entries) + 1))
    is_forced = [entry.drawer in forced for entry in entries]
    assert is_forced == sorted(is_forced, reverse=True)


@given(**inputs)
def test_a_shortfall_means_that_the_whole_list_is_pooled(mode, rankings, forced, n, seed):
    drawn = draw(mode, rankings, forced, n, seed, "Q")
    pooled = {entry.docno for entry in drawn.entries} | {"Q"}
    for name, missing in drawn.shortfall.items():
        assert missing == 0 or set(rankings[name]) <= pooled


@given(data=st.data(), **inputs)
def test_the_order_of_the_mappings_does_not_matter(data, mode, rankings, forced, n, seed):
    other_rankings = dict(data.draw(st.permutations(list(rankings.items()))))
    other_forced = dict(data.draw(st.permutations(list(forced.items()))))
    entries = draw(mode, rankings, forced, n, seed, "Q")
    assert draw(mode, other_rankings, other_forced, n, seed, "Q") == entries


@given(**inputs)
def test_every_pooled_document_has_exactly_one_drawn_contribution(mode, rankings, forced, n, seed):
    drawn = draw(mode, rankings, forced, n, seed, "Q")
    scored = {name: [Scored(d, -i) for i, d in enumerate(ds)] for name, ds in rankings.items()}
    every = list(contributions(drawn, scored, forced))
    assert {
        (contribution.docno, contribution.source, contribution.rank)
        for contribution in every
        if contribution.drawn
    } == {(entry.docno, entry.drawer, entry.rank_of_drawer) for entry in drawn.entries}
    sources = {**rankings, **forced}
    assert {(contribution.docno, contribution.source) for contribution in every} == {
        (entry.docno, name)
        for entry in drawn.entries
        for name in sources
        if entry.docno in sources[name]
    }
    assert len(every) == len({(contribution.docno, contribution.source) for contribution in every})
