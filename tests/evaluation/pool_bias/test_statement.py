"""The sentences of the paragraph, each from its figures."""

import pytest

from evaluation.pool_bias.computation.statement import open_reason, statement
from evaluation.pool_bias.computation.support import SupportAnswer

SUPPORT = {
    "answer": SupportAnswer.SUPPORTED,
    "reasons": [],
    "sources": 5,
    "judged": 0.6124,
    "largest": 0.0312,
    "tau": 0.949,
    "worst": None,
}
FACTS = {
    "depth": 20,
    "measure": "nDCG@20",
    "queries": 33,
    "pairs": 4051,
    "labelled": 4050,
    "sampled": 0,
    "systems": 12,
    "whole_corpus": 10,
    "support": SUPPORT,
    "reaching": 9,
    "detectable": 0.0812,
    "detectable_undefined": None,
    "reusability": {"by_source": None, "by_family": None},
}
CLOSED = (
    "This collection supports re-ranking its closed pools: 4,050 of 4,051 pooled pairs (99.9 %) "
    "have a final label. "
)
DETECTABLE = (
    " With 33 queries, a difference of 8.1 percentage points in mean nDCG@20 is detectable (paired "
    "t test, α = .05, power .80, median over all pairs of systems); a smaller one that is not "
    "significant says little."
)
BOTH = " For such systems, report condensed values and upper bounds beside every score."


def said(**changes):
    return statement({"statement": FACTS | changes})


def test_the_paragraph_says_what_is_supported_and_why():
    assert said() == (
        CLOSED + "It supports comparing systems that retrieve from the whole corpus if their "
        "judged@20 is at least 62 %. 5 sources of the pools are such systems. When each of them "
        "was left out, its nDCG@20 changed by less than 3.2 percentage points (95 % intervals), "
        "and τ between the rankings of the systems was at least 0.94. A new system that is like "
        "these sources changes more than all of them did with a probability of 1 in 6. 9 of 10 "
        "scored systems that retrieve from the whole corpus have this judged@20." + DETECTABLE
    )


@pytest.mark.parametrize(
    ("figures", "part"),
    [
        ({"judged": 0.62}, "at least 62 %. "),
        ({"judged": 0.6201}, "at least 63 %. "),
        ({"largest": 0.031}, "less than 3.1 percentage points ("),
        ({"largest": 0.0301}, "less than 3.1 percentage points ("),
        ({"tau": 0.94}, "at least 0.94. "),
        ({"tau": 0.9399}, "at least 0.93. "),
    ],
)
def test_a_figure_is_rounded_so_that_the_sentence_stays_true(figures, part):
    assert part in said(support=SUPPORT | figures)


def test_the_condition_for_open_lists_is_a_clause_of_its_own():
    assert open_reason(FACTS) == (
        "their judged@20 must be at least 62 %, and leaving out each of 5 sources changed its "
        "nDCG@20 by less than 3.2 percentage points (95 % intervals)"
    )


def test_changes_above_the_detectable_difference_are_told():
    sentence = "The largest of these changes is more than the smallest detectable difference, so"
    assert sentence in said(detectable=0.0311)
    assert sentence not in said(detectable=0.0312)
    assert "1 scored system that retrieves from the whole corpus has this" in said(
        whole_corpus=1, reaching=1
    ).replace("1 of 1", "1")


def test_what_is_not_supported_is_told_with_the_change_of_the_worst_source():
    worst = {
        "system": "specter",
        "fewest": {"mean": -0.1, "low": -0.13, "high": -0.07, "tau": 0.5},
    }
    support = SUPPORT | {"answer": SupportAnswer.NOT_SUPPORTED, "worst": worst}
    assert said(support=support) == (
        CLOSED + "It does not support comparing the sources of its pools with other systems that "
        "retrieve from the whole corpus: without the documents that only specter found, its "
        "nDCG@20 changes by −10.0 percentage points (95 % interval −13.0 to −7.0)."
        + BOTH
        + DETECTABLE
    )


def test_what_cannot_be_said_is_told_with_all_reasons():
    support = SUPPORT | {"answer": SupportAnswer.UNKNOWN, "reasons": ["one reason", "another one"]}
    assert said(support=support) == (
        CLOSED + "Whether it supports comparing systems that retrieve from the whole corpus cannot "
        "be said: one reason; another one." + BOTH + DETECTABLE
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"labelled": 3000}, "does not support re-ranking its whole pools yet: 3,000 of 4,051"),
        ({"labelled": 0, "pairs": 0}, "0 of 0 pooled pairs (0.0 %)"),
        ({"labelled": 4051}, "(100.0 %)"),
        ({"sampled": 2}, "2 pools are a random sample"),
        ({"sampled": 1}, "1 pool is a random sample"),
        (
            {"detectable": None, "detectable_undefined": "there are fewer than two systems"},
            "with 33 queries is undefined: there are fewer than two systems",
        ),
        ({"queries": 1}, "With 1 query, a difference"),
    ],
)
def test_each_case_has_its_sentence(changes, sentence):
    support = SUPPORT | {"answer": SupportAnswer.UNKNOWN, "reasons": ["a reason"]}
    assert sentence in said(support=support, **changes)


def test_without_systems_no_detectable_difference_is_mentioned():
    support = SUPPORT | {"answer": SupportAnswer.UNKNOWN, "reasons": ["a reason"]}
    text = said(systems=0, detectable=None, detectable_undefined="none", support=support)
    assert "detectable" not in text


def prediction(value, low, high, groups=6):
    ends = {"lowest": ["a", value], "highest": ["b", value]}
    return {"value": value, "low": low, "high": high, "groups": groups, "queries": 33, **ends}


def test_what_is_predicted_of_new_systems_is_told_with_its_interval():
    by_source = {
        "judged": prediction(0.641, 0.58, 0.703),
        "change": prediction(-0.0212, -0.03, -0.0104),
    }
    by_family = {
        "judged": prediction(0.5, None, None, groups=2),
        "change": prediction(-0.1, None, None, groups=2),
    }
    text = said(reusability={"by_source": by_source, "by_family": by_family})
    assert (
        "As new systems, left out one source at a time (6 sources), these sources would have a "
        "judged@20 of 64 % (95 % interval over queries 58–70 %), and their nDCG@20 would change by "
        "−2.1 percentage points (95 % interval over queries −3.0 to −1.0)."
    ) in text
    assert "left out one family of sources at a time (2 families of sources)" in text
    assert "−10.0 percentage points (too few queries for an interval)." in text
