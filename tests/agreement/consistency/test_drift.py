"""Drift against scipy, a regression by hand, and judges whose drift is known."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
from scipy.stats import spearmanr

from agreement.consistency.drift import (
    FEWEST,
    PersonDrift,
    PlacedValues,
    TimedAnswer,
    change_over,
    drift_of,
    places_of,
    stratified_spearman,
    third_difference,
    together,
)
from agreement.consistency.estimates import difference_of_shares
from tests.support.simulated_judges import BEGIN, answers_with, person_with

SEEDS = range(40)


def placed(blocks, places, values):
    return PlacedValues(np.array(blocks), np.array(places, float), np.array(values, float))


def random_values(seed, blocks=4, size=20):
    rng = np.random.default_rng(seed)
    return placed(
        np.repeat(np.arange(blocks), size),
        np.tile(np.arange(1, size + 1), blocks),
        rng.integers(0, 4, blocks * size),
    )


def test_a_sitting_ends_after_thirty_minutes_without_an_answer():
    minutes = (0, 1, 31, 62, 63)
    times = [BEGIN + timedelta(minutes=minute) for minute in minutes]

    assert places_of(times) == ([1, 2, 3, 1, 2], [3, 2])
    assert places_of([]) == ([], [])


def test_for_one_query_the_correlation_is_that_of_scipy():
    values = random_values(1, blocks=1, size=50)

    found = stratified_spearman(values)

    assert found.value == pytest.approx(spearmanr(values.places, values.values).statistic)
    half = 1.959964 * np.sqrt(1.06 / (50 - 3))
    assert found.interval == pytest.approx(
        (np.tanh(np.arctanh(found.value) - half), np.tanh(np.arctanh(found.value) + half))
    )


def test_the_mean_of_a_query_does_not_change_the_correlation_or_the_slope():
    values = random_values(2)
    shifted = values._replace(values=values.values + 3 * (values.blocks % 2))

    assert stratified_spearman(shifted) == stratified_spearman(values)
    assert change_over(shifted, 10).value == pytest.approx(change_over(values, 10).value)


def test_the_change_is_the_slope_of_a_regression_with_a_mean_for_each_query():
    values = random_values(3)
    queries = (values.blocks[:, None] == np.arange(4)).astype(float)
    design = np.column_stack([values.places, queries])

    solution, *_ = np.linalg.lstsq(design, values.values, rcond=None)
    rest = values.values - design @ solution
    bread = np.linalg.inv(design.T @ design)
    sandwich = bread @ ((design * rest[:, None] ** 2).T @ design) @ bread
    error = np.sqrt(sandwich[0, 0] * 80 / (80 - 5))

    found = change_over(values, 59)
    assert found.value == pytest.approx(59 * solution[0])
    assert found.interval == pytest.approx(
        (59 * (solution[0] - 1.959964 * error), 59 * (solution[0] + 1.959964 * error)), rel=1e-5
    )


def test_the_difference_of_thirds_is_the_mean_of_the_queries():
    values = placed(
        [1] * 18 + [2] * 18, [*range(1, 19)] * 2, [0, 1] * 3 + [1] * 6 + [1, 3] * 3 + [1] * 18
    )

    assert third_difference(values).value == pytest.approx((2 - 0.5 + 0) / 2)


def test_newcombes_example():
    """Newcombe (1998), table II, (a): 56/70 against 48/80, 0.0524 to 0.3339 by method 10."""
    found = difference_of_shares((48, 80), (56, 70))

    assert found.value == pytest.approx(0.2)
    assert found.interval == pytest.approx((0.0524, 0.3339), abs=5e-5)


@pytest.mark.parametrize("drift", [0.3, 0.0, -0.3])
@pytest.mark.by_day(2)
def test_a_known_drift_lies_in_its_interval(drift):
    ends = [drift_of([person_with(drift, seed)])["change"]["interval"] for seed in SEEDS]

    assert sum(low <= drift <= high for low, high in ends) >= 35


def test_without_drift_the_intervals_contain_0_and_with_much_they_do_not():
    def found(drift):
        rows = [drift_of([person_with(drift, seed)]) for seed in SEEDS]
        return [
            sum(low <= 0 <= high for row in rows for low, high in [row[name]["interval"]])
            for name in ("spearman", "change", "query_thirds")
        ]

    assert min(found(0.0)) >= 35
    assert max(found(1.5)) == 0


def test_pairs_that_were_put_off_have_no_part_in_a_change_of_grades():
    answers = answers_with(0.0, 1)
    late = [
        TimedAnswer(1, answers[-1].given_at + timedelta(seconds=n), 5.0, 3, was_postponed=True)
        for n in range(1, 40)
    ]

    with_late, without = (drift_of([PersonDrift(rows)]) for rows in (answers + late, answers))

    assert with_late["spearman"] == without["spearman"]
    assert with_late["query_thirds"] == without["query_thirds"]
    assert with_late["answers"] == without["answers"] + 39


def test_quick_answers_are_those_under_two_seconds():
    answers = [
        TimedAnswer(1, BEGIN + timedelta(seconds=n), seconds)
        for n, seconds in enumerate((1.9, 2.0, 5.0, None))
    ]

    quick = drift_of([PersonDrift(answers)])["quick"]

    assert (quick["value"], quick["n"]) == (pytest.approx(1 / 3), 3)


def test_agreement_with_the_final_labels_compares_the_thirds_of_the_work():
    answers = [
        TimedAnswer(1, BEGIN + timedelta(seconds=n), 5.0, 1, is_final=n >= 60) for n in range(90)
    ]

    agreement = drift_of([PersonDrift(answers)])["agreement"]

    assert (agreement["value"], agreement["n"]) == (1.0, 60)


def test_queries_of_two_people_are_not_mixed():
    one, other = person_with(0.3, 1), person_with(0.3, 2)

    values = together([one.grades, other.grades])

    assert len(set(values.blocks.tolist())) == 24
    assert drift_of([one, other])["answers"] == 720


UNDEFINED = [
    ("spearman", 10, "fewer than 30 pairs"),
    ("change", 10, "fewer than 30 pairs"),
    ("query_thirds", 10, "fewer than 30 pairs"),
    ("agreement", 10, "fewer than 30 pairs"),
    ("spearman", 40, "all grades are the same"),
    ("change", 40, "all grades are the same"),
    ("query_thirds", 40, "all grades are the same"),
    ("quick", 0, "no answers"),
]


@pytest.mark.parametrize(("name", "number", "reason"), UNDEFINED)
def test_an_undefined_estimate_has_a_reason(name, number, reason):
    answers = [
        TimedAnswer(1, BEGIN + timedelta(seconds=n), 5.0, 1, is_final=True) for n in range(number)
    ]

    estimate = drift_of([PersonDrift(answers)])[name]

    assert (estimate["value"], estimate["interval"], estimate["undefined"]) == (None, None, reason)


def test_one_pair_in_each_query_says_nothing_of_a_change():
    values = placed(range(FEWEST), range(FEWEST), [0, 1] * (FEWEST // 2))

    assert stratified_spearman(values).undefined == "one pair in each query"
    assert change_over(values, 10).undefined == "one pair in each query"


def test_no_change_is_extrapolated_over_more_than_five_times_the_longest_query():
    values = placed([n // 10 for n in range(40)], range(40), [0, 1, 2, 1] * 10)

    assert change_over(values, 45).value is not None
    assert change_over(values, 46).undefined == "no query takes a fifth of a sitting"


def test_the_steps_of_the_figure_are_ten_places_of_a_sitting():
    steps = drift_of([person_with(1.5, 1)])["steps"]

    assert [(step["from"], step["to"]) for step in steps][:2] == [(1, 10), (11, 20)]
    assert sum(step["grade"]["n"] for step in steps) == 360
    assert steps[0]["grade"]["value"] < steps[2]["grade"]["value"]
