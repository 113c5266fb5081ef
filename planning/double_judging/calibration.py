"""Probabilities of grades from the score of a model, learned from grades that people gave. Pure.

A logistic regression for each grade, as the calibration of LARA (Takehi, Voorhees, Sakai and
Soboroff, SIGIR 2025) has for graded labels. It is fitted again to all grades known so far, where
LARA takes a step of gradient descent with each batch, so that no learning rate has to be chosen.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

PENALTY = 0.01
STEPS = 25
LONGEST_STEP = 10.0  # so that no step from a point where the loss is nearly flat leads far away
CENTRE = 0.5
# Without labels, the score is about the probability: the slope of the logistic function is 1 there.
USUAL_SLOPE = 4.0
DECIMALS = 9  # of probabilities that are compared, so that rounding errors decide no order


class Calibration(NamedTuple):
    """`coefficients[t - 1]` are the intercept and the slope for "grade t or higher"."""

    coefficients: Floats

    def at_least(self, scores: Floats) -> Floats:
        """The probability of grade t or higher at [:, t - 1]; it never rises with t.

        `scores` has shape (n,), the result (n, highest grade), rounded to DECIMALS.
        """
        intercepts, slopes = self.coefficients.T
        logits = intercepts + np.outer(scores - CENTRE, slopes)
        falling = np.minimum.accumulate(_logistic(logits), axis=1)
        return rounded(falling)

    def labels(self, scores: Floats) -> Ints:
        """The median grade: the highest one that is as likely reached as not."""
        labels: Ints = (self.at_least(scores) >= 0.5).sum(axis=1)
        return labels

    def expected(self, scores: Floats) -> Floats:
        """The mean grade."""
        means: Floats = self.at_least(scores).sum(axis=1)
        return means


def rounded(values: Floats) -> Floats:
    """To DECIMALS."""
    result: Floats = np.asarray(np.round(values, DECIMALS), dtype=np.float64)
    return result


def uncertainty(probabilities: Floats) -> Floats:
    """The distance from one half, rounded: the lowest ones are the least certain."""
    return rounded(np.abs(probabilities - CENTRE))


def calibrate(scores: Floats, grades: Ints, highest: int) -> Calibration:
    """Fit P(grade ≥ t) = 1/(1 + exp(−a − b (score − CENTRE))) for t from 1 to the highest grade.

    The coefficients minimize the sum of the log losses plus PENALTY/2 · (a² + (b − USUAL_SLOPE)²),
    by STEPS steps of Newton's method from a = 0 and b = USUAL_SLOPE; a step (a, b) that is longer
    than LONGEST_STEP is shortened to it. So a batch of labels that are
    all the same turns no order around. `scores` are from 0 to 1; both arrays have shape (n,).
    """
    centred = scores - CENTRE
    rows = [_fit(centred, (grades >= grade).astype(np.float64)) for grade in range(1, highest + 1)]
    return Calibration(np.array(rows).reshape(-1, 2))


def _fit(centred: Floats, reached: Floats) -> tuple[float, float]:
    intercept, slope = 0.0, USUAL_SLOPE
    for _ in range(STEPS):
        likely = _logistic(intercept + slope * centred)
        error, weight = likely - reached, likely * (1 - likely)
        of_intercept = error.sum() + PENALTY * intercept
        of_slope = error @ centred + PENALTY * (slope - USUAL_SLOPE)
        both = weight @ centred
        first, second = weight.sum() + PENALTY, weight @ centred**2 + PENALTY
        determinant = first * second - both * both
        change_a = (second * of_intercept - both * of_slope) / determinant
        change_b = (first * of_slope - both * of_intercept) / determinant
        share = LONGEST_STEP / max(math.hypot(change_a, change_b), LONGEST_STEP)
        intercept -= float(share * change_a)
        slope -= float(share * change_b)
    return intercept, slope


def _logistic(logits: Floats) -> Floats:
    probabilities: Floats = 1 / (1 + np.exp(-logits))
    return probabilities
