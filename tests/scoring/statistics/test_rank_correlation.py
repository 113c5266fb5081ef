"""The rank correlations against worked examples, their definitions and a second implementation."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scoring.statistics.rank_correlation import ALL_TIED, EMPTY, TOO_FEW, rbo, tau, tau_ap

scored = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12)


def scores(order: str) -> dict[str, float]:
    """A ranking by one-letter names, the best first."""
    return {name: -float(rank) for rank, name in enumerate(order)}


def mappings(pairs: list[tuple[int, int]]) -> tuple[dict[str, float], dict[str, float]]:
    names = [f"s{number:02}" for number in range(len(pairs))]
    first = {name: float(a) for name, (a, _) in zip(names, pairs, strict=True)}
    return first, {name: float(b) for name, (_, b) in zip(names, pairs, strict=True)}


@given(scored)
def test_tau_counts_concordant_pairs_and_leaves_ties_out(pairs):
    first, second = mappings(pairs)
    products = [
        (math.copysign(a != c, a - c)) * (math.copysign(b != d, b - d))
        for (a, b), (c, d) in combinations(pairs, 2)
    ]
    untied = [sum(a[i] != b[i] for a, b in combinations(pairs, 2)) for i in (0, 1)]
    if not all(untied):
        assert tau(first, second).undefined == ALL_TIED
    else:
        expected = sum(products) / math.sqrt(untied[0] * untied[1])
        assert tau(first, second).value == pytest.approx(expected)


@given(scored)
def test_tau_is_scipys(pairs):
    first, second = mappings(pairs)
    expected = stats.kendalltau([a for a, _ in pairs], [b for _, b in pairs]).statistic
    computed = tau(first, second).value
    assert (math.isnan(expected) and computed is None) or computed == pytest.approx(expected)


@pytest.mark.parametrize("systems", [2, 3, 6, 7, 10, 23, 60])
@pytest.mark.parametrize("tied", [1, 2])
def test_equal_rankings_have_exactly_1_and_reversed_ones_exactly_minus_1(systems, tied):
    ranking = {f"s{place:02}": float(place // tied) for place in range(systems + 1)}
    turned = {name: -score for name, score in ranking.items()}
    assert (tau(ranking, ranking).value, tau(ranking, turned).value) == (1, -1)
    assert tau_ap(ranking, ranking).value == 1
    assert [rbo(ranking, ranking, p).value for p in (0.5, 0.8, 0.9, 0.98)] == [1] * 4
    if tied == 1:
        assert tau_ap(ranking, turned).value == -1


def tau_ap_by_definition(estimate: dict[str, float], truth: dict[str, float]) -> float:
    """2/(N-1) Σ C(i)/(i-1) - 1 over ranks 2 to N of the estimate (Yilmaz et al. 2008, eq. 2).

    C(i) counts the items above rank i of the estimate that the truth also ranks above it. Equal
    scores are ordered by name, because the definition is of rankings without ties.
    """
    names = [sorted(side, key=lambda name: (-side[name], name)) for side in (estimate, truth)]
    total = 0.0
    for i in range(2, len(names[0]) + 1):
        item, above = names[0][i - 1], names[0][: i - 1]
        correct = 0
        for other in above:
            correct += names[1].index(other) < names[1].index(item)
        total += correct / (i - 1)
    return 2 / (len(names[0]) - 1) * total - 1


@given(scored)
def test_tau_ap_is_the_papers_definition_and_equal_scores_are_ranked_by_name(pairs):
    first, second = mappings(pairs)
    expected = tau_ap_by_definition(first, second)
    assert tau_ap(first, second).value == pytest.approx(expected, abs=1e-12)


def test_tau_ap_of_a_worked_example():
    # truth: a b c d. In c a b d: at a, none of (c) is right; at b, a of (c, a); at d, all three.
    assert tau_ap(scores("cabd"), scores("abcd")).value == pytest.approx(
        2 / 3 * (0 / 1 + 1 / 2 + 3 / 3) - 1
    )


def test_tau_ap_weighs_a_swap_at_the_top_more_than_tau_does():
    truth = scores("abcdefgh")
    top, bottom = scores("bacdefgh"), scores("abcdefhg")
    assert tau(top, truth).value == tau(bottom, truth).value
    assert tau_ap(top, truth).value < tau(top, truth).value < tau_ap(bottom, truth).value
    assert tau_ap(truth, truth).value == 1
    assert tau_ap(scores("hgfedcba"), truth).value == -1


def rbo_by_agreement(first: str, second: str, p: float) -> float:
    """Equation 30: two rankings of the same length k."""
    k = len(first)
    agreements = [len({*first[:d]} & {*second[:d]}) / d for d in range(1, k + 1)]
    total = sum(agreement * p**d for d, agreement in enumerate(agreements, start=1))
    return agreements[-1] * p**k + (1 - p) / p * total


@given(st.permutations("abcdefg"), st.permutations("abcdefghij"), st.floats(0.1, 0.99))
def test_rbo_of_equal_lengths_is_its_definition(first, second, p):
    expected = rbo_by_agreement("".join(first), "".join(second[:7]), p)
    computed = rbo(scores("".join(first)), scores("".join(second[:7])), p).value
    assert computed == pytest.approx(expected)
    assert computed == rbo(scores("".join(second[:7])), scores("".join(first)), p).value


def test_rbo_of_a_shorter_ranking_assumes_that_its_agreement_goes_on():
    # ab against acb, p = 1/2. Seen: X = 1, 1, 2. Beyond the shorter one: X_s (d - s) / (s d).
    expected = 1 * (1 * 0.5 + 0.5 * 0.25 + 2 / 3 * 0.125 + 1 * 1 / (2 * 3) * 0.125)
    expected += ((2 - 1) / 3 + 1 / 2) * 0.125
    assert rbo(scores("ab"), scores("acb"), 0.5).value == pytest.approx(expected)
    assert rbo(scores("ab"), scores("abcd")).value == 1
    assert rbo(scores("ab"), scores("cd")).value == 0


def test_equal_scores_are_ranked_by_name():
    tied = {"b": 1.0, "a": 1.0, "c": 0.0}
    assert tau_ap(tied, scores("abc")).value == 1
    assert rbo(tied, scores("abc")).value == rbo(scores("abc"), scores("abc")).value


def test_what_has_no_ranking_is_undefined_with_a_reason():
    one = {"a": 1.0}
    assert tau(one, one).undefined == tau_ap(one, one).undefined == TOO_FEW
    assert rbo({}, one).undefined == EMPTY
    for name, coefficient in [("x", tau), ("x", tau_ap)]:
        with pytest.raises(ValueError, match="only one has"):
            coefficient({"a": 1, name: 2}, {"a": 1, "y": 2})
    for first, second in [
        ({"a": math.nan, "b": 1}, scores("ab")),
        (scores("ab"), {"a": 1, "b": math.inf}),
    ]:
        for coefficient in (tau, tau_ap, rbo):
            with pytest.raises(ValueError, match="must be finite"):
                coefficient(first, second)
    with pytest.raises(ValueError, match="between 0 and 1"):
        rbo(one, one, 1.0)
