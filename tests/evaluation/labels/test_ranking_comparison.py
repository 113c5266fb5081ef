"""What other labels do to a ranking of systems."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evaluation.label_effects.comparison import (
    PairTests,
    compare_rankings,
    flips,
    shared_labels,
    swaps,
)

RANDOM = np.random.default_rng(7)


def frame(**columns: list[float]) -> pd.DataFrame:
    return pd.DataFrame(columns)


@pytest.mark.parametrize("queries", [2, 5, 40])
def test_p_values_are_those_of_scipy_adjusted_by_holms_definition(queries):
    scores = pd.DataFrame(RANDOM.random((queries, 5)) + np.arange(5) / 5, columns=list("abcde"))
    found = PairTests(scores).adjusted
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    p = [stats.ttest_rel(scores.iloc[:, i], scores.iloc[:, j]).pvalue for i, j in pairs]
    for place, (i, j) in enumerate(pairs):
        smaller = [q for q in p if q <= p[place]]
        ranked = sorted(smaller)
        expected = min(1, max(q * (len(p) - rank) for rank, q in enumerate(ranked)))
        assert found[i, j] == pytest.approx(expected, rel=1e-9)
        assert found[j, i] == found[i, j]


def test_systems_with_equal_scores_do_not_differ():
    tests = PairTests(frame(a=[0.1, 0.5, 0.7], b=[0.1, 0.5, 0.7], c=[0.2, 0.6, 0.8]))
    assert tests.adjusted[0, 1] == 1
    assert tests.adjusted[0, 2] < 0.05


def test_a_swap_is_a_pair_in_another_order_and_a_tie_is_none():
    before = PairTests(frame(a=[0.9, 0.9], b=[0.5, 0.5], c=[0.1, 0.1]))
    after = PairTests(frame(a=[0.4, 0.4], b=[0.5, 0.5], c=[0.4, 0.4]))
    (swap,) = swaps(before, after)
    assert (swap.better, swap.worse) == ("a", "b")
    assert (swap.reference, swap.other) == (pytest.approx(0.4), pytest.approx(-0.1))


def test_a_flip_is_lost_gained_or_reversed():
    noise = RANDOM.normal(0, 0.02, (30, 4))
    before = pd.DataFrame(
        noise + np.array([0.5, 0.3, 0.3, 0.7]), columns=["up", "low", "same", "top"]
    )
    after = pd.DataFrame(noise[::-1] + np.array([0.3, 0.3, 0.5, 0.1]), columns=before.columns)
    found = flips(PairTests(before), PairTests(after))
    kinds = {(flip.better, flip.worse): str(flip.kind) for flip in found}
    assert kinds.pop(tuple(sorted(["low", "same"], key=lambda s: -before[s].mean()))) == "gained"
    assert kinds == {
        ("top", "up"): "reversed",
        ("top", "low"): "reversed",
        ("top", "same"): "reversed",
        ("up", "low"): "lost",
        ("up", "same"): "reversed",
    }
    assert [flip.kind for flip in found] == sorted(
        (flip.kind for flip in found), key=["reversed", "lost", "gained"].index
    )


def test_sets_of_labels_are_compared_on_the_pairs_that_all_of_them_have():
    shared = shared_labels(
        {
            "final": {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}},
            "slot1": {"q1": {"a": 3, "c": 0}, "q3": {"a": 1}},
        }
    )
    assert shared == {"final": {"q1": {"a": 2}}, "slot1": {"q1": {"a": 3}}}


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
