"""Pools drawn by hand, the laws that hold for all of them, and the law that CSFCube's pools show."""

from __future__ import annotations

import json
from collections import Counter
from itertools import groupby, zip_longest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.strategies import ALL_SOURCES, STRATEGIES, draw
from tests.real_data import SHARED
from web.errors import BadInput

LISTS = {"x": ["a", "b", "c", "d", "e"], "y": ["b", "Q", "a", "e", "f", "g"], "z": ["c", "h"]}


def by_hand(strategy, n, forced=(), excluded=()):
    drawn, shortfall = draw(strategy, LISTS, n, order="xyz", forced={"cited": forced}, own="Q", excluded=excluded)
    return " ".join(f"{docno}{source[0]}{rank or ''}" for docno, source, rank in drawn), shortfall


@pytest.mark.parametrize(
    ("strategy", "n", "pool", "shortfall"),
    [
        # b and c are pooled when x draws again; y goes past the query paper and a.
        ("interleaved", 2, "ax1 by1 cz1 dx4 ey4 hz2", {}),
        ("interleaved", 3, "ax1 by1 cz1 dx4 ey4 hz2 fy5", {"x": 1, "z": 1}),
        ("sequential", 2, "ax1 bx2 ey4 fy5 cz1 hz2", {}),
        ("depth-k", 2, "ax1 by1 cz1 hz2", {}),
        ("depth-k", 3, "ax1 by1 cz1 hz2", {"z": 1}),
        # Q has no rank, so a is 1/61 + 1/62 and b the same: ties go by docno descending, as of f and d at rank 4.
        ("rrf", 3, "by1 ax1 cz1", {}),
        ("rrf", 9, "by1 ax1 cz1 ey4 hz2 fy5 dx4 gy6", {ALL_SOURCES: 1}),
    ],
)
def test_pools_by_hand(strategy, n, pool, shortfall):
    assert by_hand(strategy, n) == (pool, shortfall)


@pytest.mark.parametrize(("once", "twice"), ["ab", "ba"])
def test_rank_1_of_one_list_is_fused_to_as_much_as_rank_62_of_two(once, twice):
    """1/61 = 2/122 with the constant of Cormack, Clarke & Büttcher (2009) alone; equal ones go by docno descending."""
    lists = {name: [*(f"{name}{rank}" for rank in range(1, 62)), twice] for name in "xy"} | {"z": [once]}
    drawn, _ = draw("rrf", lists, 200, order="xyz", forced={})
    assert [each.docno for each in drawn if each.docno in "ab"] == ["b", "a"]


def test_what_is_forced_comes_first_and_whole_and_once():
    assert by_hand("interleaved", 1, forced=["m", "b", "Q", "m"]) == ("mc bc ax1 ey4 cz1", {})


def test_what_is_excluded_is_not_drawn_but_can_be_forced():
    assert by_hand("sequential", 1, forced=["b"], excluded=["a", "b"]) == ("bc cx3 ey4 hz2", {})


@pytest.mark.parametrize(
    ("strategy", "n", "forced", "error"),
    [("borda", 1, {}, "borda"), ("interleaved", 0, {}, "at least 1"), ("rrf", 1, {"x": ["a"]}, "x is forced")],
)
def test_what_cannot_be_drawn_is_refused(strategy, n, forced, error):
    with pytest.raises(BadInput, match=error):
        draw(strategy, LISTS, n, order="xyz", forced=forced)


documents = st.lists(st.sampled_from("Qabcdefghijkl"), max_size=14)  # with repetitions
lists_by_source = st.dictionaries(st.sampled_from(["r1", "r2", "r3", "r4"]), documents)
inputs = {"lists": lists_by_source, "n": st.integers(1, 8), "cited": documents, "excluded": documents}
any_strategy = st.sampled_from(sorted(STRATEGIES))
taking_n = st.sampled_from(["interleaved", "sequential"])


def drawn_by(strategy, lists, n, cited, excluded):
    order = sorted(lists, reverse=True)
    return draw(strategy, lists, n, order=order, forced={"cited": cited}, own="Q", excluded=excluded)


@given(strategy=taking_n, **inputs)
def test_each_source_contributes_exactly_n_new_documents_or_is_short(strategy, lists, n, cited, excluded):
    drawn, shortfall = drawn_by(strategy, lists, n, cited, excluded)
    counts = Counter(each.source for each in drawn)
    assert {name: counts[name] + shortfall.get(name, 0) for name in lists} == dict.fromkeys(lists, n)
    pooled = {each.docno for each in drawn} | {"Q", *excluded}
    assert all(set(lists[name]) <= pooled for name in shortfall)  # who is short has nothing left


@given(strategy=any_strategy, **inputs)
def test_no_document_twice_none_excluded_and_never_the_query_paper(strategy, lists, n, cited, excluded):
    drawn, _ = drawn_by(strategy, lists, n, cited, excluded)
    docnos = [each.docno for each in drawn]
    assert len(set(docnos)) == len(docnos)
    assert "Q" not in docnos
    assert not {each.docno for each in drawn if each.rank} & set(excluded)


@given(strategy=any_strategy, **inputs)
def test_the_forced_are_first_and_each_drawer_has_the_document_at_its_rank(strategy, lists, n, cited, excluded):
    drawn, _ = drawn_by(strategy, lists, n, cited, excluded)
    whole = [docno for docno in dict.fromkeys(cited) if docno != "Q"]
    assert [(each.docno, each.rank) for each in drawn[: len(whole)]] == [(docno, None) for docno in whole]
    assert all(lists[each.source][each.rank - 1] == each.docno for each in drawn[len(whole) :])


@given(strategy=any_strategy, data=st.data(), **inputs)
def test_the_same_inputs_in_any_order_give_the_same_pool(strategy, data, lists, n, cited, excluded):
    others = dict(data.draw(st.permutations(list(lists.items()))))
    assert drawn_by(strategy, others, n, cited, excluded) == drawn_by(strategy, lists, n, cited, excluded)


@given(**inputs)
def test_interleaved_is_a_round_robin(lists, n, cited, excluded):
    """Against a second way to write it: each round, each source's best document that nobody has."""
    pool = [docno for docno in dict.fromkeys(cited) if docno != "Q"]
    for _ in range(n):
        for name in sorted(lists, reverse=True):
            new = [docno for docno in lists[name] if docno not in {"Q", *pool, *excluded}]
            pool += new[:1]
    drawn, _ = drawn_by("interleaved", lists, n, cited, excluded)
    assert [each.docno for each in drawn] == pool


@given(**inputs)
def test_depth_k_is_the_union_of_the_tops(lists, n, cited, excluded):
    rows = zip_longest(*(lists[name][:n] for name in sorted(lists, reverse=True)))
    union = dict.fromkeys(docno for row in rows for docno in row if docno)
    drawn, _ = drawn_by("depth-k", lists, n, cited, excluded)
    expected = [docno for docno in union if docno not in {"Q", *cited, *excluded}]
    assert [each.docno for each in drawn if each.rank] == expected


@pytest.mark.csfcube
@pytest.mark.skipif(not (SHARED / "csfcube").exists(), reason="the CSFCube release is not here")
def test_sequential_draws_csfcubes_34_pools_again():
    """What each source is known to have had gives the released pools back, in the released order of sources.

    Size = cited + 7n: n = 12 for 27 papers and 33 for 7. The first source of a candidate drew it.
    """
    depths: Counter[int] = Counter()
    released = json.loads((SHARED / "csfcube" / "test-pid2pool-csfcube.json").read_bytes())
    for own, each in released.items():
        pool = list(zip(each["cands"], each["cand_source"], strict=True))
        cited, *order = [name for name, _ in groupby(pool, key=lambda row: row[1][0])]
        lists = {name: [docno for docno, sources in pool if name in sources] for name in order}
        forced = {cited: [docno for docno, sources in pool if sources[0] == cited]}
        n = (len(pool) - len(forced[cited])) // 7
        drawn, shortfall = draw("sequential", lists, n, order=order, forced=forced)
        assert (cited, len(order), shortfall) == ("cited", 7, {})
        assert [(row.docno, row.source) for row in drawn] == [(docno, sources[0]) for docno, sources in pool]
        # The release has 8781666 in its own pool; here a query paper never is.
        without, _ = draw("sequential", lists, n, order=order, forced=forced, own=own)
        assert own not in {row.docno for row in without}
        depths[n] += 1
    assert depths == {12: 27, 33: 7}
