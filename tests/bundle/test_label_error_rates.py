"""Rates of citation errors: worked by hand, held to a second formula, and undefined ones."""

from __future__ import annotations

from math import inf

import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from bundle.label_errors.rates import (
    FALSE_NEGATIVE,
    FALSE_POSITIVE,
    MEASURES,
    OVERALL,
    PRECISION,
    RECALL,
    WRONG,
    ErrorStratum,
    GradedStratum,
    rates_of,
)

CITED = ErrorStratum("Biology", "true", 1, 100, 20)
OTHERS = (ErrorStratum("Biology", "bm25", 0, 200, 10), ErrorStratum("Physics", "bm25", 0, 600, 30))


def counted(*counts: tuple[ErrorStratum, int, int]):
    return [GradedStratum(*count) for count in counts]


def overall(*counts: tuple[ErrorStratum, int, int]):
    return {rate.measure: rate for rate in rates_of(counted(*counts)) if rate.scope == OVERALL}


JUDGED = ((CITED, 20, 5), (OTHERS[0], 10, 2), (OTHERS[1], 30, 3))


def test_a_graded_pair_stands_for_the_pairs_of_its_stratum():
    rates = overall(*JUDGED)

    # 75 of 100 with label 1 are not relevant; 40 of 200 and 60 of 600 with label 0 are relevant.
    assert rates[FALSE_POSITIVE].estimate == pytest.approx(0.75)
    assert rates[FALSE_NEGATIVE].estimate == pytest.approx(100 / 800)
    assert rates[FALSE_NEGATIVE].total == pytest.approx(100)
    assert rates[WRONG].estimate == pytest.approx(175 / 900)
    assert rates[PRECISION].estimate == pytest.approx(0.25)
    assert rates[RECALL].estimate == pytest.approx(25 / 125)
    assert [(rate.graded, rate.counted) for rate in rates.values()] == [
        *((20, 15), (40, 5), (60, 20)),
        *((20, 5), (10, 5)),
    ]


def score_limits(share: float, variance_of_1: float) -> tuple[float, float]:
    """The p with |share - p| = z sqrt(p (1 - p) v), by a root finder: Wilson's definition."""
    z = norm.ppf(0.975)

    def distance(p: float) -> float:
        return (share - p) ** 2 - z**2 * p * (1 - p) * variance_of_1

    return brentq(distance, 0, share), brentq(distance, share, 1)


def test_the_interval_of_one_label_is_the_score_interval_of_a_sample_without_replacement():
    rates = overall(*JUDGED)
    one = 80 / (99 * 20)  # (N - n) / ((N - 1) n)
    several = (1 / 4) ** 2 * 190 / (199 * 10) + (3 / 4) ** 2 * 570 / (599 * 30)

    low, high = score_limits(0.25, one)
    assert (rates[PRECISION].low, rates[PRECISION].high) == pytest.approx((low, high))
    assert (rates[FALSE_POSITIVE].low, rates[FALSE_POSITIVE].high) == pytest.approx(
        (1 - high, 1 - low)
    )
    assert (rates[FALSE_NEGATIVE].low, rates[FALSE_NEGATIVE].high) == pytest.approx(
        score_limits(0.125, several)
    )


def test_the_limits_of_recall_are_where_both_shares_are_as_far_off_as_the_interval_allows():
    """The limits r = A / (A + B) make A (1 - r) - B r zero within the square-and-add distance."""
    rates = overall(*JUDGED)
    cited, others = rates[PRECISION], rates[FALSE_NEGATIVE]

    def far(rate, low: float, high: float, population: int) -> tuple[float, float]:
        return population * (rate.estimate - low), population * (high - rate.estimate)

    a, b = 100 * cited.estimate, 800 * others.estimate
    a_below, a_above = far(cited, cited.low, cited.high, 100)
    b_below, b_above = far(others, others.low, others.high, 800)

    def lower(r: float) -> float:
        return a * (1 - r) - b * r - ((a_below * (1 - r)) ** 2 + (b_above * r) ** 2) ** 0.5

    def upper(r: float) -> float:
        return a * (1 - r) - b * r + ((a_above * (1 - r)) ** 2 + (b_below * r) ** 2) ** 0.5

    assert rates[RECALL].low == pytest.approx(brentq(lower, 0, 0.2))
    assert rates[RECALL].high == pytest.approx(brentq(upper, 0.2, 1))


def test_all_pairs_of_a_stratum_leave_no_doubt():
    whole = ErrorStratum("", "true", 1, 4, 4)
    rate = overall((whole, 4, 1), (OTHERS[0], 10, 2))[PRECISION]

    assert (rate.estimate, rate.low, rate.high) == (0.25, 0.25, 0.25)


@pytest.mark.parametrize(
    ("counts", "reasons"),
    [
        (
            [(CITED, 20, 0), (OTHERS[0], 10, 0)],
            {RECALL: "no graded pair is relevant"},
        ),
        (
            [(CITED, 0, 0), (OTHERS[0], 10, 1)],
            dict.fromkeys(
                (FALSE_POSITIVE, WRONG, PRECISION, RECALL),
                "no pair has a grade in the stratum Biology, true",
            ),
        ),
        (
            [(OTHERS[0], 10, 1)],
            dict.fromkeys((FALSE_POSITIVE, PRECISION), "no candidate has the label 1"),
        ),
    ],
)
def test_what_is_undefined_says_why(counts, reasons):
    rates = overall(*counts)

    assert {measure: rates[measure].undefined for measure in MEASURES} == {
        measure: reasons.get(measure, "") for measure in MEASURES
    }
    assert all((rate.estimate is None) == bool(rate.undefined) for rate in rates.values())


def test_recall_is_defined_if_one_label_has_no_relevant_pair():
    without = overall((CITED, 20, 0), (OTHERS[0], 10, 2))[RECALL]
    only = overall((CITED, 20, 5), (OTHERS[0], 10, 0))[RECALL]

    assert without.estimate == without.low == 0 < without.high < 1
    assert only.estimate == only.high == 1 > only.low > 0
    assert inf not in (without.high, only.low)
