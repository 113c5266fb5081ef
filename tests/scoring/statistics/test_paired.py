"""The paired statistics against published examples, enumeration and second implementations."""

from __future__ import annotations

import hashlib
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from agreement.coefficients import Result
from scoring.statistics import paired
from scoring.statistics.paired import (
    NO_VARIANCE,
    SAME,
    TOO_FEW_QUERIES,
    detectable_noncentrality,
    effect_size,
    mean,
    mean_interval,
    noncentrality_interval,
    sign_flip_tests,
    smallest_difference,
    t_test,
    wins_ties_losses,
)

# Additional hours of sleep by two drugs, the second minus the first (Student 1908, table of p. 20).
SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]


def test_students_sleep_data_give_the_published_t_test():
    interval = mean_interval(SLEEP)
    assert interval.value == pytest.approx(1.58)
    assert (interval.low, interval.high) == pytest.approx((0.7001142, 2.4598858))
    assert t_test(SLEEP).value == pytest.approx(0.00283289, abs=1e-8)
    assert effect_size(SLEEP).value == pytest.approx(1.284558, abs=1e-6)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("size", [2, 3, 10])
def test_the_interval_of_a_mean_is_scipys(size, level):
    sample = SLEEP[:size]
    interval = mean_interval(sample, level)
    expected = stats.ttest_1samp(sample, 0).confidence_interval(level)
    assert (interval.low, interval.high) == pytest.approx(tuple(expected))
    assert interval.undefined is None
    assert mean_interval(sample) == mean_interval(sample, 0.95)


@pytest.mark.parametrize("sample", [SLEEP, SLEEP[:3], SLEEP[:2], [-value for value in SLEEP]])
def test_the_t_test_is_scipys(sample):
    result = t_test(sample)
    assert result.value == pytest.approx(stats.ttest_1samp(sample, 0).pvalue, rel=1e-9)
    assert result.undefined is None


@pytest.mark.parametrize("sample", [SLEEP, SLEEP[:3], SLEEP[:2], [-value for value in SLEEP]])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_of_an_effect_size_is_that_of_its_noncentral_t(sample, level):
    # Cumming and Finch (2001): d √n lies at the two ends of the distributions that the ends give.
    n, estimate = len(sample), effect_size(sample, level)
    assert estimate.value == pytest.approx(np.mean(sample) / np.std(sample, ddof=1))
    for end, probability in ((estimate.low, (1 + level) / 2), (estimate.high, (1 - level) / 2)):
        found = stats.nct.cdf(estimate.value * math.sqrt(n), n - 1, end * math.sqrt(n))
        assert found == pytest.approx(probability, abs=1e-6)
    assert effect_size(sample) == effect_size(sample, 0.95)


@pytest.mark.parametrize("queries", [2, 5, 30])
@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.01, 0.9)])
def test_the_smallest_difference_is_found_with_the_stated_power(queries, alpha, power):
    sample = np.linspace(-0.2, 0.3, queries)
    error = sample.std(ddof=1) / math.sqrt(queries)
    noncentrality = smallest_difference(sample, alpha, power).value / error
    critical = stats.t.ppf(1 - alpha / 2, queries - 1)
    assert stats.nct.sf(critical, queries - 1, noncentrality) == pytest.approx(power, abs=1e-5)
    assert smallest_difference(sample) == smallest_difference(sample, 0.05, 0.8)
    assert detectable_noncentrality(9) == detectable_noncentrality(9, 0.05, 0.8)


def test_a_noncentrality_interval_is_that_of_the_mbess_manual():
    # conf.limits.nct(ncp=2.83, df=126, conf.level=.95) of the R package MBESS.
    assert noncentrality_interval(2.83, 126) == pytest.approx((0.8337502, 4.8153593), abs=1e-6)


@given(st.floats(-60, 60), st.integers(1, 500))
def test_the_ends_of_a_noncentrality_interval_have_their_probabilities(t, freedom):
    low, high = noncentrality_interval(t, freedom)
    for end, probability in ((low, 0.975), (high, 0.025)):
        found = stats.nct.cdf(t, freedom, end)
        assert math.isnan(found) or found == pytest.approx(probability, abs=1e-4)


def test_a_medium_effect_needs_the_34_queries_of_cohens_tables():
    # 33 pairs are too few for d = 0.5 at power .8, 34 are enough (Cohen 1988; G*Power).
    assert detectable_noncentrality(32) / math.sqrt(33) > 0.5
    assert detectable_noncentrality(33) / math.sqrt(34) < 0.5
    sample = np.linspace(0, 1, 34)
    size = smallest_difference(sample).value / sample.std(ddof=1)
    assert size == pytest.approx(detectable_noncentrality(33) / math.sqrt(34))


def exact_p(differences: list[float]) -> float:
    """The share of all 2^n signs whose sum is at least as far from 0 as the observed one."""
    total = abs(sum(differences))
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(value >= total - 1e-9 for value in sums) / len(sums)


def test_the_sign_flip_test_comes_near_the_enumeration_of_all_signs():
    columns = [SLEEP, [0.1, 0.2, -0.3, 0.4, 0.1, -0.2, 0.3, 0.3, -0.1, 0.2]]
    found = sign_flip_tests(np.array(columns).T, "seed")
    for p, column in zip(found, columns, strict=True):
        exact = exact_p(column)
        assert p == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 10_000) + 1e-4)


def test_the_signs_are_the_documented_bits_of_the_seed():
    differences, flips = [0.3, 0.1, -0.05], 20
    stream = hashlib.shake_256(b"a seed|sign-flips").digest(8)
    bits = [stream[place // 8] >> (7 - place % 8) & 1 for place in range(3 * flips)]
    sums = [
        sum(d if bits[3 * flip + query] else -d for query, d in enumerate(differences))
        for flip in range(flips)
    ]
    extreme = sum(abs(value) >= sum(differences) - 1e-9 for value in sums)
    assert sign_flip_tests(np.array([differences]).T, "a seed", flips) == [
        (1 + extreme) / (1 + flips)
    ]


def test_a_flip_that_ties_with_the_observed_mean_counts_as_extreme():
    # 0.1 + 0.2 is not 0.3 in binary; every flip of equal sums must count all the same.
    same = np.full((8, 1), 0.1)
    assert sign_flip_tests(np.zeros((5, 1)), "s") == [1.0]
    [p] = sign_flip_tests(same, "s")
    assert p == pytest.approx(2 / 2**8, abs=0.004)
    assert sign_flip_tests(np.array([[0.1], [0.2], [-0.3]]), "s") == [1.0]


# Smaller numbers lose digits when they are scaled.
SCORES = st.floats(-1, 1).filter(lambda value: value == 0 or abs(value) > 1e-200)


@given(st.lists(SCORES, min_size=2, max_size=30), st.floats(0.01, 1000))
def test_the_sign_flip_test_does_not_depend_on_the_unit_or_the_direction(values, factor):
    column = np.array([values]).T
    expected = sign_flip_tests(column, "s", 500)
    assert sign_flip_tests(-column, "s", 500) == expected
    for power in (-60, round(math.log2(factor)), 40):
        assert sign_flip_tests(column * 2.0**power, "s", 500) == expected


def test_each_column_has_the_p_that_it_has_alone_whatever_the_others_are():
    columns = np.array([SLEEP, [1e6 * value for value in SLEEP], [0.0] * 10, SLEEP[::-1]]).T
    together = sign_flip_tests(columns, "s", 300)
    assert together == [sign_flip_tests(columns[:, [j]], "s", 300)[0] for j in range(4)]
    assert together[0] == together[1] < together[2] == 1
    assert all(p * 301 == round(p * 301) for p in together)


def test_flips_in_several_blocks_are_those_of_one(monkeypatch):
    column = np.array([SLEEP]).T
    expected = sign_flip_tests(column, "s", 333)
    monkeypatch.setattr(paired, "BLOCK", 64)
    assert sign_flip_tests(column, "s", 333) == expected
    monkeypatch.setattr(paired, "BLOCK", 1)
    assert sign_flip_tests(column, "s", 333) == expected


def test_a_sign_flip_test_needs_a_table_with_a_query():
    for wrong in (np.zeros(3), np.zeros((0, 2))):
        with pytest.raises(ValueError, match="queries × systems"):
            sign_flip_tests(wrong, "s")
    with pytest.raises(ValueError, match="finite"):
        sign_flip_tests(np.array([[math.inf]]), "s")


def test_what_has_no_spread_is_undefined_with_a_reason():
    assert t_test([0.2, 0.2, 0.2]).undefined == NO_VARIANCE
    assert effect_size([0.0, 0.0]).undefined == NO_VARIANCE
    assert smallest_difference([0.1]).undefined == TOO_FEW_QUERIES
    assert mean_interval([0.1]) == (0.1, None, None, TOO_FEW_QUERIES)
    assert mean_interval([]) == (None, None, None, "no queries")
    assert t_test([]).undefined == t_test([0.1]).undefined == TOO_FEW_QUERIES
    assert t_test([0.2, 0.2 + SAME / 2]).undefined == NO_VARIANCE
    assert t_test([0.2, 0.2 + SAME * 2]).undefined is None
    assert effect_size([0.1]) == (None, None, None, TOO_FEW_QUERIES)
    assert smallest_difference([0.3, 0.3]) == Result(None, NO_VARIANCE)
    with pytest.raises(ValueError, match="finite"):
        t_test([0.1, math.nan])


def test_a_difference_in_rounding_is_a_tie():
    assert wins_ties_losses([0.1 + 0.2 - 0.3, 0.5, -0.1, 0.0]) == (1, 2, 1)
    assert wins_ties_losses([SAME, -SAME, 2 * SAME, -2 * SAME, 3 * SAME]) == (2, 2, 1)


def test_the_mean_does_not_depend_on_the_order_of_the_values():
    assert mean(np.array([0.1, 0.2, 0.3])) == mean(np.array([0.3, 0.2, 0.1])) == 0.6 / 3
