"""Resamples of queries, and the intervals from them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from evaluation.shadow_judges.worth.resamples import QueryResamples, combined, interval_of, ratio


def test_sums_are_those_of_as_many_queries_drawn_with_replacement():
    values = np.arange(60, dtype=float).reshape(12, 5) ** 2
    resamples = QueryResamples(12, "seed", 300)
    ones = resamples.sums(np.ones((12, 1)))
    assert (ones == 12).all()
    sums = resamples.sums(values)
    weights = resamples.sums(np.eye(12))
    assert sums == pytest.approx(weights @ values)
    assert len(np.unique(weights, axis=0)) == 300
    assert weights.mean() == 1
    assert weights.var() == pytest.approx(1 - 1 / 12, abs=0.05)  # multinomial
    assert (QueryResamples(12, "seed", 300).sums(values) == sums).all()
    assert (QueryResamples(12, "other", 300).sums(values) != sums).any()


def test_queries_without_a_value_change_nothing():
    values = np.zeros((12, 2))
    values[[3, 7]] = 1, 2
    resamples = QueryResamples(12, "seed", 100)
    assert resamples.sums(values) == pytest.approx(resamples.sums(np.eye(12)) @ values)
    assert (resamples.sums(np.zeros((12, 2))) == 0).all()


def test_an_interval_has_the_expanded_percentiles_and_needs_ten_queries():
    estimates = np.random.default_rng(1).normal(size=2_000)
    for queries in (10, 16, 300):
        tail = norm.cdf(-student.ppf(0.975, queries - 1) * math.sqrt(queries / (queries - 1)))
        assert interval_of(estimates, queries) == pytest.approx(
            tuple(np.quantile(estimates, [tail, 1 - tail]))
        )
    assert interval_of(estimates, 9) is None
    estimates[:100] = np.nan
    assert interval_of(estimates, 16) is not None
    estimates[:101] = np.nan
    assert interval_of(estimates, 16) is None


def test_the_interval_of_a_difference_is_not_the_difference_of_the_intervals():
    random = np.random.default_rng(2)
    first, below = random.normal(size=20), np.ones(20)
    resamples = QueryResamples(20, "seed")
    one, two = (ratio(values, below, resamples, "none") for values in (first, first + 1))
    difference, _ = combined((two, one), lambda a, b: a - b)
    assert difference.value == pytest.approx(1)
    assert difference.interval == pytest.approx((1, 1))
    none = ratio(np.zeros(20), np.zeros(20), resamples, "no pairs")
    missing, _ = combined((none, one), lambda a, b: a - b)
    assert (missing.value, missing.undefined) == (None, "no pairs")


def test_an_interval_of_a_mean_covers_it_in_95_percent_of_draws():
    """The plain percentile interval of 12 values covers the mean in 92 %."""
    random, queries = np.random.default_rng(7), 12
    resamples = QueryResamples(queries, "seed", 1_000)
    covered = 0
    for _ in range(1_000):
        values = random.normal(2, 1, queries)
        estimate, _ = ratio(values, np.ones(queries), resamples, "none")
        low, high = estimate.interval
        covered += low <= 2 <= high
    assert 0.93 < covered / 1_000 < 0.97
