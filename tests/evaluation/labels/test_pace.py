"""When requests leave, when failed ones are tried again, and what they cost."""

from __future__ import annotations

from decimal import Decimal

import pytest

from evaluation.shadow_judges.asking.costs import Prices
from evaluation.shadow_judges.asking.pace import LONGEST_BACKOFF, TokenBucket, backoff, burst_of


def departures(bucket: TokenBucket, seconds: float, step: float = 0.125) -> list[float]:
    """When requests leave, if one wants to at every moment."""
    times, now = [], 0.0
    while now <= seconds:
        while bucket.take(now):
            times.append(now)
        now += step
    return times


def test_a_burst_leaves_at_once_and_the_others_at_the_rate():
    assert departures(TokenBucket(60, 2, 0.0), 3) == [0, 0, 1, 2, 3]
    assert departures(TokenBucket(120, 1, 0.0), 2) == [0, 0.5, 1, 1.5, 2]


def test_no_more_than_a_burst_is_saved_up():
    bucket = TokenBucket(60, 2, 0.0)
    assert [bucket.take(3600.0) for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize("per_minute", [1, 7, 60, 333])
def test_a_minute_never_has_more_than_its_rate_and_a_burst(per_minute):
    times = departures(TokenBucket(per_minute, 3, 0.0), 180, 0.01)
    for begin in times:
        assert sum(begin <= time < begin + 60 for time in times) <= per_minute + 3


def test_the_wait_is_the_time_until_the_next_may_leave():
    bucket = TokenBucket(30, 1, 0.0)
    assert bucket.wait(0.0) == 0
    assert bucket.take(0.0)
    assert bucket.wait(0.5) == pytest.approx(1.5)
    assert not bucket.take(1.99)
    assert bucket.wait(2.0) == 0
    assert bucket.take(2.0)


def test_many_small_steps_make_a_whole_token():
    bucket = TokenBucket(60, 1, 0.0)
    assert bucket.take(0.0)
    assert [bucket.take(step / 10) for step in range(1, 11)].count(True) == 1


def test_a_burst_is_a_second_of_requests_and_no_more_than_are_allowed_at_once():
    assert burst_of(60, 4) == 1
    assert burst_of(30, 4) == 1
    assert burst_of(120, 4) == 2
    assert burst_of(60_000, 4) == 4


def test_each_wait_is_twice_as_long_up_to_a_minute():
    assert [backoff(attempts, 1.0) for attempts in (1, 2, 3, 4)] == [1, 2, 4, 8]
    assert backoff(20, 1.0) == LONGEST_BACKOFF == 60


def test_a_cost_is_that_of_a_million_tokens_rounded_up():
    prices = Prices(Decimal("0.15"), Decimal("0.60"))
    assert prices.cost(1_000_000, 1_000_000) == Decimal("0.75")
    assert prices.cost(1000, 100) == Decimal("0.00021")
    assert Prices(Decimal("0.0001"), Decimal(0)).cost(1, 0) == Decimal("0.000000001")
    assert Prices(Decimal(0), Decimal(0)).cost(10**6, 10**6) == 0
