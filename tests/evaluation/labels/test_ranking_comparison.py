"""What other labels do to a ranking of systems."""

from __future__ import annotations

from itertools import combinations, permutations
from math import fsum

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evaluation.label_effects.comparison import (
    FlipKind,
    PairTests,
    SystemSwap,
    compare_rankings,
    flips,
    shared_labels,
    swaps,
)
from scoring.statistics.comparison import compare
from scoring.statistics.paired import ALPHA, NO_VARIANCE, TOO_FEW_QUERIES

Adjusted = dict[frozenset[str], float | None]

RANDOM = np.random.default_rng(7)


def frame(**columns: list[float]) -> pd.DataFrame:
    return pd.DataFrame(columns)


def some_scores(queries: int, systems: int = 4) -> pd.DataFrame:
    """Scores on a coarse grid, so that ties, equal systems and large differences all occur."""
    names = list("dbca")[:systems]
    return pd.DataFrame(RANDOM.integers(0, 3, (queries, systems)) / 2, columns=names)


def adjusted_by_definition(scores: pd.DataFrame) -> Adjusted:
    """scipy's paired t tests, each p multiplied by how many of the defined ones are not smaller."""
    pairs = list(combinations(scores.columns, 2))
    defined = {
        pair: stats.ttest_rel(scores[pair[0]], scores[pair[1]]).pvalue
        for pair in pairs
        if len(scores) > 1 and len(set(scores[pair[0]] - scores[pair[1]])) > 1
    }
    ordered = sorted(defined.values())
    adjusted = [min(1.0, (len(ordered) - place) * p) for place, p in enumerate(ordered)]
    return {
        frozenset(pair): max(adjusted[: ordered.index(defined[pair]) + 1])
        if pair in defined
        else None
        for pair in pairs
    }


@pytest.mark.parametrize("queries", [0, 1, 2, 3, 5, 40])
def test_p_values_are_those_of_scipy_adjusted_by_holms_definition(queries):
    for _ in range(4):
        scores = some_scores(queries)
        tests, expected = PairTests(scores), adjusted_by_definition(scores)
        for i, j in permutations(range(4), 2):
            p = tests.p(i, j)
            assert p == tests.p(j, i)
            assert p.value == pytest.approx(expected[frozenset(scores.columns[[i, j]])])
            assert (p.value is None) == bool(p.undefined)


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ([0.1, 0.5, 0.7], [0.2, 0.6, 0.8], NO_VARIANCE),
        ([0.1, 0.5, 0.7], [0.1, 0.5, 0.7], NO_VARIANCE),
        ([0.1], [0.2], TOO_FEW_QUERIES),
        ([0.1, 0.5, 0.7], [0.2, 0.6, 0.9], None),
    ],
)
def test_two_systems_have_one_p_here_and_on_the_page_significance(first, second, reason):
    scores = frame(first=first, second=second)
    found = PairTests(scores).p(0, 1)
    (versus,) = (row.versus for row in compare(scores, "first").rows if row.versus)
    assert (versus.t, versus.t_adjusted) == (found, found.value)
    assert found.undefined == reason


def test_an_undefined_test_is_not_significant_and_does_not_count_in_holms_correction():
    noise = [0.01, -0.02, 0.03, 0.0, 0.02]
    scores = frame(a=[0.5] * 5, b=[0.2] * 5, c=[0.2 + each for each in noise], copy=[0.5] * 5)
    tests = PairTests(scores)
    assert [tests.p(*pair).undefined for pair in ((0, 1), (0, 3), (1, 3))] == [NO_VARIANCE] * 3
    alone = stats.ttest_rel(scores["a"], scores["c"]).pvalue
    assert tests.p(0, 2).value == pytest.approx(3 * alone)  # of a, b and copy against c
    constant = PairTests(frame(a=[0.5, 0.6, 0.7], b=[0.1, 0.2, 0.3]))
    clear = PairTests(frame(a=[0.5, 0.6, 0.7], b=[0.1, 0.2, 0.31]))
    (lost,), (gained,) = flips(clear, constant), flips(constant, clear)
    assert (lost.kind, lost.p_other, lost.undefined) == (FlipKind.LOST, None, NO_VARIANCE)
    assert (gained.kind, gained.p_reference, gained.undefined) == (
        FlipKind.GAINED,
        None,
        NO_VARIANCE,
    )
    assert flips(constant, constant) == []


def test_equal_values_in_another_order_are_equal_means():
    tests = PairTests(frame(a=[0.1, 0.2, 0.3], b=[0.3, 0.2, 0.1]))
    assert tests.means[0] == tests.means[1]


def by_hand(
    before: pd.DataFrame, after: pd.DataFrame, p_before: Adjusted, p_after: Adjusted
) -> tuple[list[tuple], list[tuple]]:
    """The swaps and the flips of every two systems, in any order."""
    found_swaps, found_flips = [], []
    for names in combinations(before.columns, 2):
        pair = frozenset(names)
        # Of equal means, the earlier column is called better.
        better, worse = sorted(names, key=lambda name: -fsum(before[name]))
        change = [fsum(of[better]) / len(of) - fsum(of[worse]) / len(of) for of in (before, after)]
        if change[0] > 0 > change[1]:
            found_swaps.append((better, worse))
        was, is_now = (p is not None and p < ALPHA for p in (p_before[pair], p_after[pair]))
        kind = {
            (True, True): "reversed" if change[1] < 0 else None,
            (True, False): "lost",
            (False, True): "gained",
        }.get((was, is_now))
        if kind:
            found_flips.append((better, worse, kind))
    return found_swaps, found_flips


def test_swaps_and_flips_are_those_of_their_definition():
    kinds = set()
    for _ in range(40):
        queries = int(RANDOM.integers(2, 9))
        before, after = some_scores(queries), some_scores(queries)
        before[["a", "b"]] += RANDOM.integers(0, 3, 2)
        after[["a", "b"]] += RANDOM.integers(0, 3, 2)
        p = adjusted_by_definition(before), adjusted_by_definition(after)
        expected_swaps, expected_flips = by_hand(before, after, *p)
        shuffled = after[list("abcd")]
        first, second = PairTests(before), PairTests(shuffled)
        found_swaps, found_flips = swaps(first, second), flips(first, second)
        assert {(swap.better, swap.worse) for swap in found_swaps} == set(expected_swaps)
        assert {(flip.better, flip.worse, flip.kind) for flip in found_flips} == set(expected_flips)
        for change in (*found_swaps, *found_flips):
            differences = [
                of[change.better].mean() - of[change.worse].mean() for of in (before, after)
            ]
            assert [change.reference, change.other] == pytest.approx(differences)
        for flip in found_flips:
            pair = frozenset((flip.better, flip.worse))
            assert (flip.p_reference, flip.p_other) == pytest.approx(tuple(of[pair] for of in p))
            kinds.add(flip.kind)
        order = [(-swap.reference, swap.better, swap.worse) for swap in found_swaps]
        assert order == sorted(order)
        order = [
            (["reversed", "lost", "gained"].index(flip.kind), -flip.reference, flip.better)
            for flip in found_flips
        ]
        assert order == sorted(order)
    assert kinds == set(FlipKind)


def test_a_p_of_exactly_alpha_is_not_significant():
    before, after = frame(a=[0.9, 0.7, 0.8], b=[0.1, 0.2, 0.1]), frame(a=[0.1, 0.3], b=[0.1, 0.2])
    first, second = PairTests(before), PairTests(after)
    alpha = first.p(0, 1).value
    assert flips(first, second, alpha) == []
    assert [flip.kind for flip in flips(first, second, alpha * 1.001)] == [FlipKind.LOST]


def test_a_swap_is_a_pair_in_another_order_and_a_tie_is_none():
    before = PairTests(frame(a=[0.9, 0.9], b=[0.5, 0.5], c=[0.1, 0.1]))
    after = PairTests(frame(a=[0.4, 0.4], b=[0.5, 0.5], c=[0.4, 0.4]))
    (swap,) = swaps(before, after)
    assert (swap.better, swap.worse) == ("a", "b")
    assert (swap.reference, swap.other) == (pytest.approx(0.4), pytest.approx(-0.1))
    assert swaps(after, before) == [SystemSwap("b", "a", -swap.other, -swap.reference)]


def test_sets_of_labels_are_compared_on_the_pairs_that_all_of_them_have():
    shared = shared_labels(
        {
            "final": {"q1": {"a": 2, "b": 1, "d": 0}, "q2": {"a": 1}, "q4": {"a": 1}},
            "slot1": {"q1": {"a": 3, "c": 0, "d": 1}, "q3": {"a": 1}, "q4": {"b": 1}},
            "slot2": {"q1": {"a": 1, "b": 0, "c": 0}, "q2": {"a": 1}},
        }
    )
    assert shared == {
        "final": {"q1": {"a": 2}},
        "slot1": {"q1": {"a": 3}},
        "slot2": {"q1": {"a": 1}},
    }


def test_a_comparison_has_ranks_left_out_queries_and_coefficients():
    before = frame(a=[0.9, 0.8, 0.7], b=[0.2, 0.3, 0.4], c=[0.2, 0.3, 0.4])
    after = frame(a=[0.1, 0.2], b=[0.6, 0.7], c=[0.3, 0.2])
    reference, other = compare_rankings(
        {"final": before, "slot1": after}, reference="final", queries=3
    )
    assert [(row["system"], row["rank"]) for row in reference["systems"]] == [
        ("a", 1),
        ("b", 2),
        ("c", 2),
    ]
    assert (reference["left_out"], other["left_out"]) == (0, 1)
    assert reference["correlations"] is None
    assert (reference["queries"], other["queries"]) == (3, 2)
    assert (reference["source"], other["source"]) == ("final", "slot1")
    assert (reference["undefined"], other["undefined"]) == ({}, {})
    assert (reference["swaps"], reference["flips"]) == ([], [])
    assert [row["mean"] for row in reference["systems"]] == pytest.approx([0.8, 0.3, 0.3])
    assert other["correlations"]["tau_ap"] == pytest.approx(0)
    assert 0 < other["correlations"]["rbo"] < 1
    assert other["correlations"]["tau"] == pytest.approx(-0.8164965809)
    assert [(swap["better"], swap["worse"]) for swap in other["swaps"]] == [("a", "b"), ("a", "c")]


def test_without_a_relevant_document_the_coefficients_are_undefined_with_a_reason():
    empty = pd.DataFrame({"a": [], "b": []})
    _, other = compare_rankings(
        {"final": frame(a=[0.1], b=[0.2]), "minimum": empty}, reference="final", queries=1
    )
    assert other["correlations"] == {"tau": None, "tau_ap": None, "rbo": None}
    assert set(other["undefined"].values()) == {"no query has a relevant document"}
    assert (other["systems"], other["swaps"], other["flips"]) == ([], [], [])


def test_a_score_that_is_not_a_number_is_an_error():
    with pytest.raises(ValueError, match="finite"):
        PairTests(frame(a=[0.1, float("nan")], b=[0.2, 0.3]))
    with pytest.raises(ValueError, match="every system must have a finite score"):
        PairTests(frame(a=[float("inf")]))
