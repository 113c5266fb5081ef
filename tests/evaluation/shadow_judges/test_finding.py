"""No sentence is stronger than its interval."""

from __future__ import annotations

import pytest

from evaluation.shadow_judges.worth.finding import (
    consistency_finding,
    decisions_finding,
    difference_finding,
    grades_finding,
    parts_finding,
    preference_finding,
)

UNKNOWN = {"value": None, "interval": None, "n": 3, "undefined": "7 of at least 30 pairs"}


def estimate(value: float, low: float, high: float) -> dict:
    return {"value": value, "interval": [low, high], "n": 33, "undefined": ""}


LESS, SAME, MORE = estimate(-0.2, -0.3, -0.1), estimate(0, -0.1, 0.1), estimate(0.2, 0.1, 0.3)


def part(key: str, difference: dict, dimension: str = "drawn") -> dict:
    numbers = {"difference": {"alpha": difference}}
    return {"dimension": dimension, "key": key, "bounds": None, "pairs": 40, "numbers": numbers}


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (LESS, "The model agrees with people less than people with each other."),
        (MORE, "The model agrees with people more than people with each other."),
        (SAME, "Neither can be said to agree more."),
        (UNKNOWN, "cannot be said: 7 of at least 30 pairs."),
    ],
)
def test_a_difference_is_claimed_only_beside_an_interval_without_0(difference, words):
    (sentence,) = difference_finding({"slices": [part("all", difference, "all")]})
    assert sentence.endswith(words)


def test_parts_come_with_how_many_intervals_exclude_0():
    rows = [part("all", SAME, "all"), part("bm25", SAME), part("specter", LESS), part("x", UNKNOWN)]
    counted, lowest = parts_finding({"slices": rows})
    assert counted.startswith("Of 2 parts of the pairs with an interval, 1 has a difference in α")
    assert "about one misses the true value by chance" in counted
    assert lowest == "The lowest: drawn by specter, −0.20 (−0.30 to −0.10)."
    (none,) = parts_finding({"slices": rows[:2]})
    assert "0 have a difference" in none
    assert "cannot be said" in parts_finding({"slices": [rows[0], rows[3]]})[0]


@pytest.mark.parametrize(
    ("mean", "words"),
    [
        (MORE, "are higher than the final labels, on average by 0.20 grades (0.10 to 0.30)"),
        (LESS, "are lower than the final labels, on average by 0.20 grades (0.10 to 0.30)"),
        (SAME, "0.00 (−0.10 to 0.10): neither too high nor too low can be said"),
        (UNKNOWN, "Whether the model grades too high cannot be said: 7 of at least 30 pairs"),
    ],
)
def test_grades_are_too_high_or_too_low_only_beside_an_interval_without_0(mean, words):
    worth = {"mean_differences": {"model": mean}, "recalls": [], "unfinished": 2}
    sentences = grades_finding(worth)
    assert words in sentences[0]
    assert sentences[1].endswith("2 queries that wait for the adjudicator.")


@pytest.mark.parametrize(
    ("model", "excess", "words"),
    [
        (MORE, MORE, "The model prefers what dense retrievers found."),
        (LESS, LESS, "The model grades what dense retrievers found lower than people do."),
        (SAME, MORE, "so a preference cannot be said."),
        (MORE, SAME, "so a preference cannot be said."),
        (MORE, LESS, "so a preference cannot be said."),
        (UNKNOWN, UNKNOWN, "cannot be said: 7 of at least 30 pairs."),
    ],
)
def test_a_preference_needs_the_model_and_its_difference_to_people(model, excess, words):
    raters = {"model": model, "first": SAME, "second": SAME, "excess": excess}
    row = {"family": "dense", "raters": {key: {"same_label": of} for key, of in raters.items()}}
    (sentence,) = preference_finding({"preferences": [row]}, "dense")
    assert sentence.endswith(words)


def test_without_a_family_or_a_source_no_preference_is_tested():
    assert "Name the family" in preference_finding({"preferences": [{"family": "x"}]}, "")[0]
    assert (
        "No source of the family “y”"
        in preference_finding({"preferences": [{"family": "x"}]}, "y")[0]
    )
    assert "No source of a candidate is recorded" in preference_finding({"preferences": []}, "")[0]


def test_an_effect_of_the_order_is_claimed_only_beside_an_interval_without_0():
    model = {
        "answers": 90,
        "without_grade": 2,
        "problems": {"empty": 2},
        "pairs_repeated": 45,
        "same_repeated": estimate(0.8, 0.7, 0.9),
        "alpha_repeated": estimate(0.7, 0.6, 0.8),
        "shift": MORE,
    }
    people = {"repeats": 20, "same": estimate(0.75, 0.6, 0.9)}
    payload = {"model": model, "people": people}
    sentences = consistency_finding(payload, {"empty": "the answer is empty"})
    assert sentences[0].startswith("Of 45 pairs that were asked several times, 80 % got one grade")
    assert sentences[1].startswith("Annotators gave the same grade to 75 % of 20 hidden repeats")
    assert sentences[2].endswith("They depend on the order.")
    assert sentences[3] == "2 of 90 answers have no grade: the answer is empty (2)."
    model["shift"] = SAME
    assert consistency_finding(payload, {})[2].endswith("The interval contains 0.")
    assert consistency_finding(None, {}) == []


def test_decisions_of_the_model_come_before_those_of_one_annotator():
    row = {"pairs": 6, "significant_final": 1}
    rows = [
        {**row, "source": "slot1", "significant": 1, "wrong": 0},
        {**row, "source": "model", "significant": 2, "wrong": 1},
    ]
    names = {"slot1": "annotator 1", "model": "the model"}
    (sentence,) = decisions_finding(rows, names)
    assert "confirm: 1 of 2 under the model, 0 of 1 under annotator 1." in sentence
    assert sentence.endswith("1 of 6 pairs of systems.")
    assert decisions_finding([{**row, "pairs": 0}], names) == []
