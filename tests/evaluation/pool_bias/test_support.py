"""The answer about retrieval from the whole corpus, from what leaving sources out did."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.coefficients import Result
from evaluation.pool_bias.computation.support import (
    FEWEST_QUERIES,
    FEWEST_SOURCES,
    LARGEST_CHANGE,
    LEAST_TAU,
    Change,
    LeftOut,
    SupportAnswer,
    detectable_difference,
    pools_are_closed,
    reaching,
    sources_as_systems,
    support_of,
)
from scoring.statistics.paired import mean_interval, smallest_difference

SMALL = Change(-0.01, -0.02, 0.0, tau=0.95)


def a_source(name="a", score=0.6, judged=0.7, fewest=SMALL, most=SMALL):
    return LeftOut(name, score, judged, fewest, most)


def answered(rows, queries=50, detectable=0.08, closed=True):
    result = Result(detectable, "one system" if detectable is None else None)
    return support_of(rows, queries=queries, detectable=result, closed=closed)


FOUR = [
    a_source(name, judged=share) for name, share in zip("abcd", (0.7, 0.62, 0.9, 0.8), strict=True)
]


def test_it_is_supported_if_no_interval_reaches_the_limit_and_the_rankings_stay():
    support = answered(FOUR)
    assert support.answer == SupportAnswer.SUPPORTED
    assert (support.sources, support.judged, support.largest, support.tau) == (4, 0.62, 0.02, 0.95)
    assert answered(FOUR, queries=FEWEST_QUERIES).answer == SupportAnswer.SUPPORTED
    assert len(FOUR) == FEWEST_SOURCES


@pytest.mark.parametrize(
    ("rows", "changes", "reason"),
    [
        (FOUR[:3], {}, "3 sources of the pools are scored systems that retrieve from the whole"),
        (FOUR[:1], {}, "1 source of the pools is a scored system that retrieves from the whole"),
        ([], {}, "no source of the pools is a scored system that retrieves from the whole corpus"),
        (FOUR, {"queries": 24}, "24 queries with a relevant document are too few, and at least 25"),
        (FOUR, {"queries": 1}, "1 query with a relevant document is too few"),
        (FOUR, {"closed": False}, "the pools are not judged completely"),
        (
            FOUR,
            {"detectable": None},
            "the smallest detectable difference is undefined (one system)",
        ),
        (
            [*FOUR, a_source("wide", most=Change(0.0, -0.05, 0.04, 0.95))],
            {},
            "without wide, its own score changes by +0.0 percentage points (95 % interval −5.0 to "
            "+4.0), which does not exclude a change of 5.0 points",
        ),
        (
            [*FOUR, a_source("one", most=Change(0.0, None, None, 0.95))],
            {},
            "without one, the change of its own score is known for one query only",
        ),
        (
            [*FOUR, a_source("up", most=SMALL._replace(tau=0.89))],
            {},
            "without up, the ranking of the systems changes: τ is 0.89, below 0.90",
        ),
        (
            [*FOUR, a_source("up", most=SMALL._replace(tau=None))],
            {},
            "without up, τ of the rankings of the systems is undefined",
        ),
    ],
)
def test_it_cannot_be_said_with_the_reason(rows, changes, reason):
    support = answered(rows, **changes)
    assert support.answer == SupportAnswer.UNKNOWN
    assert len(support.reasons) == 1
    assert reason in support.reasons[0]
    assert (support.judged, support.largest, support.tau, support.worst) == (None,) * 4


def test_the_source_with_the_widest_interval_and_that_with_the_lowest_tau_are_named():
    rows = [
        *FOUR,
        a_source("wide", most=Change(0.0, -0.07, 0.04, 0.7)),
        a_source("wider", most=Change(0.0, -0.05, 0.09, 0.8)),
        a_source("low", most=Change(0.0, -0.05, 0.04, 0.85)),
    ]
    change, ranking = answered(rows, queries=3).reasons[1:]
    assert change.startswith("without wider,")
    assert ranking.startswith("without wide,")
    undefined = a_source("x", most=SMALL._replace(tau=None))
    assert answered([*rows, undefined]).reasons[-1].startswith("without x,")


def test_it_is_not_supported_if_a_whole_interval_is_beyond_the_limit_even_without_few_labels():
    lost = Change(-0.10, -0.13, -0.06, 0.5)
    gained = Change(0.08, 0.05, 0.11, 0.5)
    for change in (lost, gained):
        row = a_source("bad", fewest=change, most=change)
        assert answered([row], queries=5).answer == SupportAnswer.NOT_SUPPORTED
        assert answered([row]).worst == row
    only_with_most = a_source("bad", most=lost)
    assert answered([*FOUR, only_with_most]).answer == SupportAnswer.UNKNOWN
    touching = a_source("bad", fewest=Change(-0.08, -0.13, -0.049, 0.5))
    assert answered([touching]).answer == SupportAnswer.UNKNOWN
    worst = a_source("worst", fewest=Change(-0.2, -0.3, -0.1, 0.5))
    rows = [a_source("bad", fewest=lost), worst, a_source("x", fewest=gained)]
    assert answered(rows).worst == worst


def test_the_limit_is_a_tenth_of_a_low_score():
    assert a_source(score=0.9).limit == LARGEST_CHANGE
    assert a_source(score=0.1).limit == pytest.approx(0.01)
    assert answered([*FOUR, a_source("low", score=0.1)]).answer == SupportAnswer.UNKNOWN


differences = st.lists(st.floats(-0.3, 0.3), min_size=2, max_size=12)


@given(sample=differences, copies=st.integers(1, 8), tau=st.floats(0.8, 1))
def test_fewer_queries_with_the_same_changes_never_make_the_claim_easier(sample, copies, tau):
    """A sample and the same sample several times: equal means, but fewer queries."""

    def answer(values):
        interval = mean_interval(values)
        change = Change(interval.value, interval.low, interval.high, tau)
        rows = [a_source(name, most=change, fewest=change) for name in "abcd"]
        return answered(rows, queries=len(values)).answer

    few, many = answer(sample), answer(sample * copies)
    assert few in (many, SupportAnswer.UNKNOWN)


def test_the_detectable_difference_does_not_make_the_claim_easier():
    wide = [*FOUR, a_source("wide", most=Change(-0.04, -0.06, -0.02, 0.95))]
    assert answered(wide, detectable=0.02) == answered(wide, detectable=0.5)


def test_the_least_tau_supports_and_pools_are_closed_from_99_percent_on():
    row = a_source("e", most=SMALL._replace(tau=LEAST_TAU))
    assert answered([*FOUR, row]).answer == SupportAnswer.SUPPORTED
    assert [pools_are_closed(*counts) for counts in ((99, 100), (98, 100), (0, 0))] == [
        True,
        False,
        False,
    ]


def test_systems_reach_the_least_judged_share_if_theirs_is_not_below_it():
    assert reaching([0.5, 0.49, None, 0.8], 0.5) == 2
    assert reaching([0.5, 0.8], None) == 0


def a_way(change, judged=0.7, tau=0.9):
    own = {"judged": judged, "score": 0.6, "change": change, "low": -0.2, "high": 0.1}
    return {"own": {"a": own}, "measures": {"nDCG@20": {"tau": tau}}}


def test_sources_that_are_systems_have_their_changes_in_the_two_ways():
    row = {"sources": ["a"], "unique": a_way(-0.01), "drawn": a_way(-0.05, judged=0.1, tau=0.5)}
    group = {"sources": ["a", "b"], "unique": a_way(-0.3), "drawn": a_way(-0.3)}
    unscored = {"sources": ["b"], "unique": a_way(-0.3), "drawn": a_way(-0.3)}
    rows = [group, unscored, row]
    assert list(sources_as_systems(rows, {"a", "b"}, "drawn")) == [
        LeftOut(
            "a",
            score=0.6,
            judged=0.7,
            fewest=Change(-0.01, -0.2, 0.1, 0.9),
            most=Change(-0.05, -0.2, 0.1, 0.5),
        )
    ]
    assert list(sources_as_systems(rows, {"b"}, "drawn")) == []


def test_the_detectable_difference_is_the_median_over_all_pairs_of_systems():
    values = {
        "a": np.array([0.1, 0.5, 0.9, 0.3, np.nan]),
        "b": np.array([0.2, 0.4, 0.8, 0.6, 0.1]),
        "c": np.array([0.9, 0.1, 0.2, 0.2, 0.3]),
    }
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    expected = [
        smallest_difference([x for x in values[one] - values[two] if not np.isnan(x)]).value
        for one, two in pairs
    ]
    assert detectable_difference(values).value == pytest.approx(sorted(expected)[1])
    few = detectable_difference({"a": values["a"]})
    assert (few.value, few.undefined) == (None, "there are fewer than two systems")
    equal = {"a": values["b"], "b": values["b"], "c": values["c"]}
    assert detectable_difference(equal).value is not None
    assert detectable_difference({"a": values["b"], "b": values["b"]}).undefined
    assert detectable_difference({"a": values["a"][4:], "b": values["b"][4:]}).undefined


def test_a_change_without_an_interval_is_neither_within_nor_outside():
    change = Change(-0.3, None, None, 0.9)
    assert not change.is_within(1)
    assert not change.is_outside(0.1)
    assert change.largest == 0.3
    assert Change(0.02, -0.01, 0.05, 0.9).largest == 0.05
    assert Change(0.0, -0.05, 0.01, 0.9).is_within(0.051)
    assert not Change(0.0, -0.05, 0.01, 0.9).is_within(0.05)
    assert Change(0.1, 0.05, 0.2, 0.9).is_outside(0.05)
    assert Change(-0.1, -0.2, -0.05, 0.9).is_outside(0.05)
