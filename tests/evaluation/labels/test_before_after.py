"""Rankings before and after new labels: what changed, in tables and in words."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from evaluation.label_effects.before_after import RankingChange, change_between
from evaluation.label_effects.comparison import TukeyTests, compare_over_time
from evaluation.label_effects.rankings import TEST
from scoring.statistics.comparison import compare_all_pairs
from scoring.statistics.paired import ALPHA

RANDOM = np.random.default_rng(62)


def some_scores(queries: int, systems: int = 4) -> pd.DataFrame:
    effects = RANDOM.normal(0, 0.2, systems)
    values = RANDOM.normal(0.5, 0.1, (queries, systems)) + effects
    return pd.DataFrame(values, columns=list("dbca")[:systems])


def change(before: pd.DataFrame, after: pd.DataFrame, **judged: tuple[float, float]):
    """The change from one table to another; `judged` are shares of the first 10 by system."""
    rankings = compare_over_time({"1.0": before, "1.1": after})
    for place, row in enumerate(rankings):
        row["labels"] = 1000 * (place + 1)
        row["judged"] = {"Judged@10": {name: shares[place] for name, shares in judged.items()}}
        if not judged:
            row["judged"] = {}
    payload = {"measure": "AP", "test": TEST, "alpha": ALPHA, "rankings": rankings}
    found = change_between(json.loads(json.dumps(payload)), "1.0")
    assert isinstance(found, RankingChange)
    return found


def frame(**columns: list[float]) -> pd.DataFrame:
    return pd.DataFrame(columns)


@pytest.mark.parametrize("queries", [2, 3, 10, 40])
def test_differences_are_tested_as_the_page_compare_tests_all_pairs(queries):
    scores = some_scores(queries)
    tests, expected = TukeyTests(scores), compare_all_pairs(scores)

    assert len(expected.pairs) == 6
    for pair in expected.pairs:
        first, second = (expected.systems[place] for place in (pair.first, pair.second))
        places = tests.systems.index(first), tests.systems.index(second)
        assert tests.p(*places).value == pytest.approx(pair.p, abs=1e-12)
    assert tests.significant() == sum(pair.p < ALPHA for pair in expected.pairs)


def significant_by_definition(scores: pd.DataFrame) -> dict[tuple[str, str], float]:
    """The significant pairs in the order of their names, with the mean difference."""
    table = compare_all_pairs(scores)
    found = {}
    for pair in table.pairs:
        first, second = table.systems[pair.first], table.systems[pair.second]
        if pair.p < ALPHA:
            names = (min(first, second), max(first, second))
            found[names] = scores[names[0]].mean() - scores[names[1]].mean()
    return found


def test_appeared_went_and_changed_direction_follow_from_the_significant_pairs_of_both():
    seen = set()
    for _ in range(60):
        before, after = some_scores(12), some_scores(12)
        sides = [significant_by_definition(scores) for scores in (before, after)]
        expected = {}
        for pair in combinations(sorted(before.columns), 2):
            old, new = (side.get(pair) for side in sides)
            if old and new and old * new < 0:
                expected[pair] = "changed direction"
            elif (old is None) != (new is None):
                expected[pair] = "went" if new is None else "appeared"
        found = {
            tuple(sorted((row.better, row.worse))): row.change
            for row in change(before, after).differences
        }
        assert found == expected
        seen |= set(expected.values())
    assert seen == {"changed direction", "went", "appeared"}


def test_the_better_system_is_that_of_now_and_both_differences_are_its_own():
    before = frame(a=[0.9, 0.8, 0.91], b=[0.1, 0.11, 0.1])
    found = change(before, before.rename(columns={"a": "b", "b": "a"})[["a", "b"]])

    (row,) = found.differences
    assert (row.better, row.worse, row.change) == ("b", "a", "changed direction")
    assert (row.before < 0 < row.after, row.p_before < ALPHA) == (True, True)


def test_ranks_and_moves_are_those_of_the_means():
    found = change(
        frame(a=[0.9, 0.8, 0.7], b=[0.5, 0.5, 0.4], c=[0.1, 0.3, 0.2]),
        frame(a=[0.2, 0.1, 0.2], b=[0.5, 0.5, 0.4], c=[0.3, 0.3, 0.4]),
    )

    assert [(line.system, line.rank_before, line.rank_after) for line in found.lines] == [
        ("b", 2, 1),
        ("c", 3, 2),
        ("a", 1, 3),
    ]
    assert [line.system for line in found.moved] == ["a", "b", "c"]
    sentences = list(found.sentences())
    assert sentences[0] == (
        "Of 3 systems, 3 have another rank by mean AP: a 1 → 3, b 2 → 1, c 3 → 2."
    )
    # 2 of 3 pairs discordant; above b and c stands a, which is last in truth: (0 + 1/2) / 2.
    assert "Kendall’s τ-b −0.333 and τ_AP −0.500, over 3 systems" in sentences[1]
    assert "Labels: 1,000 before, 2,000 after." in sentences[2]


def test_equal_rankings_are_said_to_have_no_move():
    scores = some_scores(8)
    sentences = list(change(scores, scores).sentences())

    assert sentences[0] == "No system of 4 has another rank by mean AP."
    assert "τ-b 1.000 and τ_AP 1.000" in sentences[1]
    assert ": 0 appeared, 0 went, 0 changed direction." in sentences[3]


def test_without_a_test_nothing_is_said_of_significance():
    one_query = frame(a=[0.9], b=[0.1])

    sentences = " ".join(change(one_query, one_query).sentences())

    assert "Which significant differences appeared or went cannot be said" in sentences
    assert "the test is undefined (fewer than two queries)" in sentences
    assert "appeared," not in sentences


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (
            frame(a=[0.5, 0.6]),
            frame(a=[0.5, 0.7]),
            "it takes two systems, and the number here is 1",
        ),
        (
            frame(a=[0.5], b=[0.4]).iloc[:0],
            frame(a=[0.5], b=[0.4]),
            "before, no query has a relevant document or there is no system",
        ),
    ],
)
def test_rankings_that_cannot_be_compared_are_said_with_the_reason(before, after, reason):
    assert list(change(before, after).sentences()) == [
        f"The rankings cannot be compared: {reason}."
    ]


def test_an_undefined_coefficient_has_its_reason():
    tied = frame(a=[0.5, 0.6], b=[0.6, 0.5])

    sentences = " ".join(change(tied, frame(a=[0.5, 0.7], b=[0.1, 0.2])).sentences())

    assert "Kendall’s τ-b undefined (all scores of a ranking are equal)" in sentences


def test_the_gain_in_judged_documents_is_said_with_the_system_that_gained_most():
    scores = some_scores(5, 2)

    found = list(change(scores, scores, d=(0.5, 0.9), b=(0.8, 0.9)).sentences())

    assert found[-1] == (
        "Judged@10, the mean over the systems, went from 65.00 to 90.00 %, most for d: from 50.00 "
        "to 90.00 %."
    )
