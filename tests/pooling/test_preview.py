"""What is said of pools before they are frozen, worked out by hand on small ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling import preview
from pooling.preview import (
    FrequentDocument,
    NearDuplicates,
    PoolFacts,
    RetrieverShare,
    ShortAbstract,
)

# The cost


def test_an_hourly_rate_makes_hours_into_money():
    cost = preview.Cost(
        candidates=90, pairs=120, seconds_per_judgment=30, adjudicated_share=0.5, hourly_rate=20
    )

    assert cost.judging_hours == pytest.approx(2.0)  # 120 pairs, two judges, half a minute
    assert cost.adjudicating_hours == pytest.approx(0.5)
    assert cost.money == pytest.approx(50)


def test_without_a_rate_there_is_no_money():
    assert preview.Cost(candidates=1, pairs=1).money is None


# Overlap, depth, unique contributions


RANKINGS = {
    "one": {"q": ["a", "b", "c", "d"]},
    "two": {"q": ["b", "a", "e", "c"]},
    "three": {"q": ["x", "y"]},
}


def test_the_overlap_at_the_pools_depth_cuts_each_query_papers_lists_there():
    at_pool, at_usual = preview.overlaps(RANKINGS, {"q": 3})

    assert at_pool.of("one", "two") == pytest.approx(2 / 4)  # {a, b, c} and {b, a, e}
    assert at_usual.of("one", "two") == pytest.approx(3 / 5)  # {a, b, c, d} and {b, a, e, c}
    assert at_pool.of("one", "three") == 0


def test_query_papers_without_a_pool_do_not_count_in_the_overlap():
    rankings = {"one": {"q": ["a"], "other": ["z"]}, "two": {"q": ["a"], "other": ["y"]}}

    at_pool, at_usual = preview.overlaps(rankings, {"q": 1})

    assert (at_pool.of("one", "two"), at_usual.of("one", "two")) == (1.0, 1.0)


def test_a_retrievers_share_is_what_it_drew_found_and_found_alone():
    pool = PoolFacts(
        query_paper="q",
        documents=["f", "a", "x", "b", "y"],
        forced=frozenset({"f", "y"}),
        depth={"one": 2, "two": 1, "three": 2},
        drawn={"one": 1, "two": 1, "three": 2},
        shortfall={"three": 3},
    )

    one, three, two = preview.shares([pool], RANKINGS)

    assert one == RetrieverShare("one", 1, found=2, alone=1, middle_depth=2, deepest=2, shortfall=0)
    # b is at its first rank; at its second, a lies deeper than it drew.
    assert two == RetrieverShare("two", 1, found=1, alone=0, middle_depth=1, deepest=1, shortfall=0)
    # y would be its alone, were it not a forced document.
    assert three == RetrieverShare(
        "three", 2, found=2, alone=1, middle_depth=2, deepest=2, shortfall=3
    )


def test_a_retriever_that_drew_nothing_has_no_depth():
    pool = PoolFacts("q", ["a"], frozenset(), {}, {}, {"one": 4})

    assert preview.shares([pool], {"one": {}}) == [RetrieverShare("one", 0, 0, 0, None, None, 4)]


# What looks wrong


def test_a_document_in_more_than_a_quarter_of_the_pools_is_told_with_their_number():
    pools = {f"q{number}": ["hub", f"d{number}"] for number in range(3)} | {
        f"q{number}": [f"d{number}", "edge"] if number < 5 else [f"d{number}"]
        for number in range(3, 8)
    }

    # 3 of 8 are more than a quarter; 2 of 8 are a quarter.
    assert preview.frequent_documents(pools) == [FrequentDocument("hub", 3)]


def test_a_document_of_one_pool_is_never_often():
    assert preview.frequent_documents({"q": ["a", "b"]}) == []


@pytest.mark.parametrize(
    ("sentences", "why"),
    [
        ([], "no abstract"),
        (["Only one sentence stands here."], "only 1 sentence"),
        (["The first of the two.", "The second of the two."], "only 2 sentences"),
        (["Too short.", "This too.", "And this one.", "Stop."], "no sentence of 4 words or more"),
    ],
)
def test_an_abstract_that_gives_a_judge_little_is_told_with_the_reason(sentences, why):
    assert preview.short_abstracts({"d": sentences}) == [ShortAbstract("d", why)]


def test_a_long_abstract_of_one_sentence_is_an_abstract():
    assert preview.short_abstracts({"d": ["word " * 40]}) == []


def test_three_sentences_one_of_them_long_enough_are_an_abstract():
    assert preview.short_abstracts({"d": ["One.", "Two.", "Three sentences, one long."]}) == []


def test_a_query_paper_in_its_own_pool_is_told():
    assert preview.own_pool({"q": ["a", "q"], "r": ["q"]}) == ["q"]


def test_titles_that_differ_in_case_and_signs_only_are_twins():
    titles = {"q": "Other", "a": "Deep Parsing: of trees!", "b": "deep parsing of trees", "c": ""}

    assert preview.near_duplicates({"q": ["a", "b", "c"]}, titles) == [
        NearDuplicates("q", "a", "b")
    ]


def test_nine_of_ten_words_are_enough_and_eight_of_ten_are_not():
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    titles = {
        "nine": " ".join(words),
        "ten": " ".join([*words, "ten"]),
        "eight": " ".join(words[:8]),
    }

    assert preview.near_duplicates({"q": list(titles)}, titles) == [
        NearDuplicates("q", "nine", "ten")
    ]


def test_the_query_paper_has_twins_too():
    titles = {"q": "Parsing trees", "a": "Parsing trees"}

    assert preview.near_duplicates({"q": ["a"]}, titles) == [NearDuplicates("q", "a", "q")]


def test_twins_are_looked_for_within_a_pool_only():
    titles = {"a": "Parsing trees", "b": "Parsing trees"}

    assert preview.near_duplicates({"q": ["a"], "r": ["b"]}, titles) == []


@given(
    st.dictionaries(
        st.text("abcdef", min_size=1, max_size=3),
        st.lists(st.sampled_from("klmnopqrstuv"), max_size=12).map(" ".join),
        max_size=12,
    ),
    st.sampled_from([0.5, 0.7, 0.8, 0.9, 1.0]),
)
def test_twins_are_those_that_comparing_each_with_each_finds(titles, near):
    words = {docno: set(title.split()) for docno, title in titles.items() if title}
    expected = [
        (docno, other)
        for docno in sorted(words)
        for other in sorted(words)
        if docno < other
        and len(words[docno] & words[other]) / len(words[docno] | words[other]) >= near - 1e-9
    ]

    found = preview.near_duplicates({"query paper": list(titles)}, titles, near)

    assert sorted((pair.docno, pair.other) for pair in found) == expected
