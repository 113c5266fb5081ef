"""Probabilities of grades from scores, against a general optimizer."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from planning.double_judging.calibration import (
    CENTRE,
    PENALTY,
    USUAL_SLOPE,
    Calibration,
    calibrate,
    uncertainty,
)


def loss(line: np.ndarray, scores: np.ndarray, reached: np.ndarray) -> float:
    logits = line[0] + line[1] * (scores - CENTRE)
    return float(
        np.logaddexp(0, -logits)[reached].sum()
        + np.logaddexp(0, logits)[~reached].sum()
        + PENALTY / 2 * (line[0] ** 2 + (line[1] - USUAL_SLOPE) ** 2)
    )


@pytest.mark.parametrize("number", [1, 7, 300])
def test_the_coefficients_are_those_with_the_smallest_loss(number):
    random = np.random.default_rng(number)
    scores = random.random(number)
    grades = np.clip(np.round(4 * scores - 1 + random.normal(size=number)), 0, 3).astype(int)

    found = calibrate(scores, grades, 3).coefficients

    for grade, line in enumerate(found, start=1):
        best = minimize(loss, [0, 0], (scores, grades >= grade), method="BFGS", tol=1e-10)
        assert line == pytest.approx(best.x, abs=1e-3)
        assert loss(line, scores, grades >= grade) <= best.fun + 1e-9


def test_grades_that_scores_separate_are_no_reason_for_infinite_coefficients():
    scores = np.array([0.1, 0.2, 0.8, 0.9])

    model = calibrate(scores, np.array([0, 0, 1, 1]), 1)

    assert np.isfinite(model.coefficients).all()
    assert model.labels(scores).tolist() == [0, 0, 1, 1]


def test_labels_that_are_all_the_same_do_not_turn_the_order_around():
    scores = np.array([0.42, 0.5, 0.56])

    model = calibrate(scores, np.zeros(3, dtype=int), 1)

    low, high = model.at_least(np.array([0.0, 1.0]))[:, 0]
    assert low < high < 0.5


def test_a_higher_grade_is_never_more_probable_than_a_lower_one_reached():
    # The lines cross: without the minimum, grade 2 or higher would be likelier than 1 or higher.
    model = Calibration(np.array([[0.0, 0.0], [0.0, 10.0]]))

    assert model.at_least(np.array([0.1, 0.9])).tolist() == [[0.5, 0.017986210], [0.5, 0.5]]


def test_the_label_is_the_median_grade_and_the_expectation_the_mean():
    logits = np.log(np.array([0.9, 0.6, 0.2]) / np.array([0.1, 0.4, 0.8]))
    model = Calibration(np.column_stack([logits, np.zeros(3)]))

    assert model.labels(np.array([0.3])).tolist() == [2]
    assert model.expected(np.array([0.3])) == pytest.approx([1.7])


def test_one_half_is_the_least_certain_probability():
    assert uncertainty(np.array([0.5, 0.1, 0.75])).tolist() == [0.0, 0.4, 0.25]
