"""Decisions about systems under a model's labels."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, ttest_rel

from evaluation.label_effects.comparison import compare_rankings
from evaluation.shadow_judges.worth.decisions import decisions

SYSTEMS = [f"s{number}" for number in range(7)]


def scores(seed: int, quality: list[float], queries: int = 25) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    topics = random.normal(0, 0.2, (queries, 1))
    values = 0.5 + topics + np.array(quality) + random.normal(0, 0.1, (queries, len(quality)))
    return pd.DataFrame(values, index=[f"q{n}" for n in range(queries)], columns=SYSTEMS)


FRAMES = {
    "final": scores(1, [0.3, 0.25, 0.2, 0.1, 0.1, 0.0, -0.1]),
    "slot1": scores(2, [0.3, 0.28, 0.15, 0.1, 0.05, 0.0, -0.1]),
    "model": scores(3, [0.1, 0.3, 0.0, 0.2, 0.1, 0.05, 0.1]),
}


def verdicts(frame: pd.DataFrame) -> dict[tuple[str, str], int]:
    """For two systems 1, -1, or 0: by scipy's paired t test and Holm's procedure, step by step."""
    pairs = list(combinations(SYSTEMS, 2))
    p_values = [ttest_rel(frame[a], frame[b]).pvalue for a, b in pairs]
    found = dict.fromkeys(pairs, 0)
    for done, place in enumerate(np.argsort(p_values)):
        if p_values[place] * (len(pairs) - done) >= 0.05:
            break
        a, b = pairs[place]
        found[pairs[place]] = 1 if frame[a].mean() > frame[b].mean() else -1
    return found


@pytest.mark.parametrize("source", ["slot1", "model"])
def test_wrong_decisions_are_those_that_the_final_labels_do_not_have(source):
    final, other = verdicts(FRAMES["final"]), verdicts(FRAMES[source])
    (row,) = (each for each in decisions(FRAMES, reference="final") if each["source"] == source)
    assert row["pairs"] == 21
    assert row["significant_final"] == sum(map(bool, final.values()))
    assert row["significant"] == sum(map(bool, other.values()))
    assert row["right"] == sum(other[pair] == final[pair] != 0 for pair in final)
    assert row["unfounded"] == sum(bool(other[pair]) and not final[pair] for pair in final)
    assert row["reversed"] == sum(other[pair] * final[pair] < 0 for pair in final)
    assert row["missed"] == sum(bool(final[pair]) and not other[pair] for pair in final)
    assert row["wrong"] == row["unfounded"] + row["reversed"]
    if source == "model":
        assert min(row["unfounded"], row["reversed"], row["missed"], row["right"]) > 0


def test_the_largest_moves_are_named_with_both_ranks():
    *_, row = decisions(FRAMES, reference="final")
    before, after = (
        list(FRAMES[name].mean().sort_values(ascending=False).index) for name in ("final", "model")
    )
    distances = {name: abs(before.index(name) - after.index(name)) for name in SYSTEMS}
    assert [abs(move["final"] - move["rank"]) for move in row["moves"]] == sorted(
        distances.values(), reverse=True
    )[:3]
    for move in row["moves"]:
        assert before[move["final"] - 1] == after[move["rank"] - 1] == move["system"]
    same = decisions({"final": FRAMES["final"], "model": FRAMES["final"]}, reference="final")
    assert same[0]["moves"] == []
    assert same[0]["wrong"] == same[0]["missed"] == 0


def test_the_coefficients_beside_the_decisions_are_those_of_scipy_and_of_the_definition():
    final, model = FRAMES["final"].mean(), FRAMES["model"].mean()
    *_, row = compare_rankings(FRAMES, reference="final", queries=25)
    assert row["correlations"]["tau"] == pytest.approx(kendalltau(model, final).statistic)
    # τ_AP (Yilmaz et al. 2008): at each place from the second on, the share of the systems above
    # that the truth ranks above too.
    order = list(model.sort_values(ascending=False).index)
    shares = [
        sum(final[above] > final[name] for above in order[:place]) / place
        for place, name in enumerate(order)
        if place
    ]
    assert row["correlations"]["tau_ap"] == pytest.approx(2 * np.mean(shares) - 1)


def test_labels_without_a_relevant_document_decide_nothing():
    empty = {**FRAMES, "model": FRAMES["model"].iloc[:0]}
    *_, row = decisions(empty, reference="final")
    assert (row["significant"], row["wrong"], row["missed"], row["moves"]) == (0, 0, 0, [])
