"""Self-consistency of a model over repetitions and the order of the papers."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest

from evaluation.shadow_judges.worth.repeated_answers import ModelGrade, repeated_answers


def some_answers(repetitions: int = 3, missing: float = 0.1) -> list[ModelGrade]:
    random = np.random.default_rng(8)
    answers = []
    for pair in range(300):
        grade = int(random.integers(0, 4))
        for repetition in range(1, repetitions + 1):
            for swapped in (False, True):
                given = int(
                    np.clip(grade + random.integers(-1, 2) + swapped * (pair % 3 == 0), 0, 3)
                )
                is_missing = random.random() < missing
                answers.append(
                    ModelGrade(
                        f"q{pair // 20:02}",
                        pair,
                        repetition,
                        swapped,
                        None if is_missing else given,
                        ("empty", "off-scale")[pair % 2] if is_missing else "",
                    )
                )
    return answers


def by_pair(answers, swapped: bool) -> dict[int, dict[int, int]]:
    found: dict[int, dict[int, int]] = {}
    for answer in answers:
        if answer.swapped == swapped and answer.grade is not None:
            found.setdefault(answer.pair, {})[answer.repetition] = answer.grade
    return found


def test_repetitions_are_compared_as_krippendorff_does():
    answers = some_answers()
    found = repeated_answers(answers, 4, "seed")
    grades = by_pair(answers, swapped=False)
    data = np.full((3, 300), np.nan)
    for pair, of_pair in grades.items():
        for repetition, grade in of_pair.items():
            data[repetition - 1, pair] = grade
    alpha = krippendorff.alpha(data, level_of_measurement="ordinal")
    assert found["alpha_repeated"]["value"] == pytest.approx(alpha, abs=1e-12)
    several = [list(of_pair.values()) for of_pair in grades.values() if len(of_pair) > 1]
    assert found["pairs_repeated"] == len(several)
    same = sum(len(set(each)) == 1 for each in several)
    assert found["same_repeated"]["value"] == pytest.approx(same / len(several))
    for name in ("alpha_repeated", "same_repeated"):
        low, high = found[name]["interval"]
        assert low < found[name]["value"] < high


def test_the_orders_are_compared_within_a_repetition():
    answers = some_answers()
    found = repeated_answers(answers, 4, "seed")
    usual, swapped = by_pair(answers, swapped=False), by_pair(answers, swapped=True)
    twos = [
        (grade, swapped[pair][repetition])
        for pair, of_pair in usual.items()
        for repetition, grade in of_pair.items()
        if repetition in swapped.get(pair, {})
    ]
    first, second = map(list, zip(*twos, strict=True))
    assert found["answers_swapped"] == len(twos)
    assert found["same_swapped"]["value"] == pytest.approx(np.mean(np.equal(first, second)))
    assert found["shift"]["value"] == pytest.approx(np.mean(np.subtract(second, first)))
    assert found["shift"]["interval"][0] > 0
    alpha = krippendorff.alpha([first, second], level_of_measurement="ordinal")
    assert found["alpha_swapped"]["value"] == pytest.approx(alpha, abs=1e-12)


def test_answers_without_a_grade_are_counted_by_problem():
    answers = some_answers()
    found = repeated_answers(answers, 4, "seed")
    problems = [answer.problem for answer in answers if answer.grade is None]
    assert found["answers"] == len(answers) == 1800
    assert found["without_grade"] == len(problems)
    assert found["problems"] == {name: problems.count(name) for name in ("empty", "off-scale")}


def test_a_model_that_was_asked_once_has_the_reasons():
    once = [answer for answer in some_answers() if answer[2:4] == (1, False)]
    found = repeated_answers(once, 4, "seed")
    assert (found["pairs_repeated"], found["answers_swapped"]) == (0, 0)
    assert found["same_repeated"]["undefined"] == "no pair was asked twice"
    assert found["shift"]["undefined"] == "no pair was asked in both orders"
    few = [answer for answer in some_answers(missing=0) if answer.pair < 20]
    found = repeated_answers(few, 4, "seed")
    assert found["alpha_repeated"]["undefined"] == "20 of at least 30 pairs"
    assert found["shift"]["undefined"] == "1 of at least 10 queries"
    equal = [answer._replace(grade=2) for answer in some_answers(missing=0)]
    found = repeated_answers(equal, 4, "seed")
    assert found["alpha_repeated"]["undefined"] == "all grades identical"
    assert found["same_repeated"]["value"] == 1
    assert repeated_answers([], 4, "seed")["answers"] == 0
