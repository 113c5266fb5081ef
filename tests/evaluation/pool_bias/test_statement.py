import pytest

from evaluation.pool_bias.statement import LeftOut, Limit, judged_limit, statement

FACTS = {
    "depth": 20,
    "measure": "nDCG@20",
    "queries": 33,
    "pairs": 4051,
    "labelled": 4050,
    "sampled": 0,
    "systems": 12,
    "limit": Limit(0.6124, "", 4)._asdict(),
    "reaching": 9,
    "detectable": 0.0812,
    "detectable_undefined": None,
}


def said(**changes):
    return statement({"statement": FACTS | changes})


def test_the_limit_is_the_smallest_judged_share_above_every_change_that_is_detectable():
    rows = [
        LeftOut("a", 0.9, -0.01),
        LeftOut("b", 0.7, -0.03),
        LeftOut("c", 0.6, -0.08),  # as much as can be detected
        LeftOut("d", 0.5, -0.01),
    ]
    assert judged_limit(rows, 0.05, precision=0.1) == Limit(0.7, "", 4)
    assert judged_limit(rows, 0.2, precision=0.1) == Limit(0.5, "", 4)


def test_no_limit_is_given_if_the_best_judged_source_changes_too_much():
    rows = [LeftOut("a", 0.9, 0.06), LeftOut("b", 0.7, 0), LeftOut("c", 0.6, 0)]
    assert judged_limit(rows, 0.05, precision=0.1).value is None


def test_with_few_sources_that_are_systems_the_limit_is_that_of_precision():
    rows = [LeftOut("a", 0.9, -0.01)]
    assert judged_limit(rows, 0.05, precision=0.125) == Limit(0.875, "")
    assert judged_limit([], 0.05, precision=None).value is None
    assert judged_limit([], None, precision=0.1).reason == (
        "the smallest detectable difference is undefined"
    )


def test_the_paragraph_says_what_is_supported_and_why():
    assert said() == (
        "This collection supports re-ranking its closed pools: 4,050 of 4,051 pooled pairs "
        "(99.9 %) have a final label. It supports comparing systems that retrieve from the whole "
        "corpus if their judged@20 is at least 0.62. 4 sources of the pools are also systems. "
        "When one of them was left out and kept at least this share, its nDCG@20 changed by less "
        "than the smallest detectable difference. 9 of 12 scored systems reach it. With 33 "
        "queries, a difference of 0.081 in mean nDCG@20 is detectable (paired t test, α = .05, "
        "power .80, median over all pairs of systems); a smaller one that is not significant says "
        "little."
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"labelled": 3000}, "does not support re-ranking its whole pools yet: 3,000 of 4,051"),
        ({"sampled": 2}, "2 pools are a random sample"),
        ({"systems": 0, "detectable": None}, "No system is scored yet"),
        ({"limit": Limit(None, "some reason")._asdict()}, "from the whole corpus: some reason."),
        ({"limit": Limit(0.9, "")._asdict()}, "change mean P@20 by a detectable difference"),
        (
            {"detectable": None, "detectable_undefined": "there are fewer than two systems"},
            "with 33 queries is undefined: there are fewer than two systems",
        ),
    ],
)
def test_each_case_has_its_sentence(changes, sentence):
    assert sentence in said(**changes)
