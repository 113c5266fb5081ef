"""Self-consistency against scikit-learn, krippendorff and judges of whom it is known."""

from __future__ import annotations

import krippendorff
import pytest
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score

from agreement.consistency import repeated
from agreement.consistency.estimates import share
from agreement.consistency.repeated import RepeatedGrade, consistency_of
from tests.support.simulated_judges import SHARES, repeats_with

SEEDS = range(40)


def of(*pairs):
    return [RepeatedGrade(1, first, second, 30) for first, second in pairs]


def test_the_numbers_of_a_worked_example():
    numbers = consistency_of(of((0, 0), (1, 1), (2, 1), (3, 3), (0, 2)), "seed")

    assert numbers["repeats"] == numbers["same"]["n"] == 5
    assert numbers["same"]["value"] == pytest.approx(3 / 5)
    assert numbers["difference"]["value"] == pytest.approx((1 + 2) / 5)
    assert numbers["direction"]["value"] == pytest.approx((-1 + 2) / 5)


def test_kappa_and_alpha_are_those_of_scikit_learn_and_krippendorff():
    grades = [(repeat.first, repeat.second) for repeat in repeats_with(0.7, 60, 1)]
    first, second = zip(*grades, strict=True)

    numbers = consistency_of(of(*grades), "seed")

    kappa = cohen_kappa_score(first, second, weights="quadratic")
    alpha = krippendorff.alpha([first, second], level_of_measurement="ordinal")
    assert numbers["kappa_quadratic"]["value"] == pytest.approx(kappa)
    assert numbers["alpha"]["value"] == pytest.approx(alpha)


def test_the_interval_of_a_share_is_that_of_scipy():
    for count, total in ((0, 8), (3, 8), (8, 8), (80, 100)):
        ends = binomtest(count, total).proportion_ci(method="wilson")
        assert share(count, total).interval == pytest.approx((ends.low, ends.high))


def test_the_same_repeats_and_seed_have_the_same_intervals():
    repeats = repeats_with(0.7, 40, 1)

    assert consistency_of(repeats, "seed") == consistency_of(repeats[::-1], "seed")
    assert consistency_of(repeats, "seed") != consistency_of(repeats, "other")


@pytest.mark.parametrize("same", [0.8, 0.5])
def test_a_known_self_consistency_lies_in_its_interval(same):
    wrong = 1 - same
    # The expected difference: each other grade is as likely.
    steps = {0: (1 + 2 + 3) / 3, 1: (1 + 1 + 2) / 3, 2: (2 + 1 + 1) / 3, 3: (3 + 2 + 1) / 3}
    difference = wrong * sum(p * steps[grade] for grade, p in enumerate(SHARES))
    found = [consistency_of(repeats_with(same, 120, seed), f"s{seed}") for seed in SEEDS]

    def covered(name, truth):
        ends = [numbers[name]["interval"] for numbers in found]
        return sum(low <= truth <= high for low, high in ends)

    assert covered("same", same) >= 35
    assert covered("difference", difference) >= 35


def test_a_judge_who_always_repeats_a_grade_has_no_bootstrap_interval():
    numbers = consistency_of(repeats_with(1, 30, 1), "seed")

    assert numbers["kappa_quadratic"]["value"] == 1
    assert numbers["kappa_quadratic"]["interval"] is None
    assert numbers["same"]["interval"][0] == pytest.approx(0.886, abs=0.001)


def test_very_many_repeats_have_fewer_resamples():
    assert [repeated.resamples_of(n) for n in (10, 5_000, 10_000, 10**6)] == [2000, 2000, 1000, 200]


UNDEFINED = [
    ([], "same", "no repeats"),
    ([], "kappa_quadratic", "no repeats"),
    ([], "direction", "no repeats"),
    ([(1, 1), (1, 1)], "kappa_quadratic", "all grades identical"),
    ([(1, 1), (1, 1)], "alpha", "all grades identical"),
]


@pytest.mark.parametrize(("pairs", "name", "reason"), UNDEFINED)
def test_an_undefined_value_has_a_reason(pairs, name, reason):
    estimate = consistency_of(of(*pairs), "seed")[name]

    assert (estimate["value"], estimate["undefined"]) == (None, reason)


def test_few_repeats_have_values_without_bootstrap_intervals():
    numbers = consistency_of(of((0, 1), (2, 2)), "seed")

    assert numbers["difference"] == {"value": 0.5, "interval": None, "n": 2, "undefined": ""}
    assert numbers["same"]["interval"] is not None


def test_the_share_of_same_grades_is_told_by_distance():
    repeats = [
        RepeatedGrade(1, 1, second, distance)
        for second, distance in ((1, 3), (1, 20), (2, 49), (1, 500))
    ]

    distances = consistency_of(repeats, "seed")["distances"]

    assert [(row["from"], row["to"], row["n"], row["value"]) for row in distances] == [
        (0, 19, 1, 1),
        (20, 49, 2, 0.5),
        (100, None, 1, 1),
    ]
