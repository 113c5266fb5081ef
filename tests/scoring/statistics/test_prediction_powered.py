"""Means estimated from few human and many model labels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from scoring.statistics.paired import mean_interval
from scoring.statistics.prediction_powered import DAMPING, estimate

QUERIES, JUDGED = 60, 20
HUMAN = np.array([(37 * i % 101) / 101 for i in range(QUERIES)])
MODEL = np.array([((37 * i % 101) + (53 * i % 29)) / 130 for i in range(QUERIES)])
FIRST = np.arange(JUDGED)[None, :]
# ppi_py 0.2.3, ppi_mean_pointestimate(HUMAN[:20], MODEL[:20], MODEL[20:], lam=...).
PPI_PY = {
    0.0: 0.4801980198019803,
    0.25: 0.48048648134044175,
    0.5: 0.4807749428789033,
    1.0: 0.4813518659558264,
}


def estimated(human=HUMAN, model=MODEL, judged=FIRST):
    return estimate(human[judged], model, judged)


def test_the_estimate_is_that_of_ppi_py_with_the_same_tuning():
    found = estimated()
    # Linear in the tuning, which theirs multiplies with the mean over the other queries alone.
    tuning = found.tuning[0] * (1 - JUDGED / QUERIES)
    slope = PPI_PY[1.0] - PPI_PY[0.0]
    assert PPI_PY[0.25] == pytest.approx(PPI_PY[0.0] + 0.25 * slope, abs=1e-15)
    assert found.powered.value[0] == pytest.approx(PPI_PY[0.0] + tuning * slope, abs=1e-14)
    assert found.human.value[0] == pytest.approx(PPI_PY[0.0], abs=1e-14)
    assert found.model_only == pytest.approx(MODEL.mean())


def test_the_human_estimate_is_the_t_interval_with_the_correction_for_a_finite_population():
    human = estimated().human
    known = mean_interval(HUMAN[:JUDGED])
    shrunk = math.sqrt(1 - JUDGED / QUERIES)
    assert human.width[0] == pytest.approx((known.high - known.low) * shrunk)


def by_hand(human: list[float | None], model: list[float | None], judged: list[int]):
    """The formulas of the module's docstring, one number after the other."""
    n, population = len(judged), len(model)
    values = [human[i] or 0.0 for i in judged]
    counted = [0 if human[i] is None else 1 for i in judged]
    known = [value for value in model if value is not None]
    mean = sum(known) / len(known)
    u = [0.0 if model[i] is None else model[i] - mean for i in judged]
    share = sum(counted) / n
    theta = sum(values) / sum(counted)
    z = [h - theta * d for h, d in zip(values, counted, strict=True)]
    middle = sum(u) / n
    tuning = (
        DAMPING
        * sum(a * b for a, b in zip(z, u, strict=True))
        / sum((each - middle) ** 2 for each in u)
    )
    powered = (sum(values) / n - tuning * middle) / share
    e = [a - tuning * b for a, b in zip(z, u, strict=True)]
    e = [each - sum(e) / n for each in e]
    variance = (1 / n - 1 / population) * sum(each**2 for each in e) / (n - 2)
    half = stats.t.ppf(0.975, sum(counted) - 2) * math.sqrt(variance) / share
    return powered, powered - half, powered + half


def test_queries_without_a_relevant_document_count_in_no_mean():
    human = [None if i % 7 == 3 else float(HUMAN[i]) for i in range(QUERIES)]
    model = [None if i % 11 == 5 else float(MODEL[i]) for i in range(QUERIES)]
    judged = list(range(3, QUERIES, 2))
    as_array = np.array([math.nan if value is None else value for value in human])
    predicted = np.array([math.nan if value is None else value for value in model])
    found = estimated(as_array, predicted, np.array([judged]))
    assert tuple(each[0] for each in found.powered) == pytest.approx(by_hand(human, model, judged))
    assert found.human.value[0] == pytest.approx(np.nanmean(as_array[judged]))
    assert found.model_only == pytest.approx(np.nanmean(predicted))


def test_draws_are_estimated_as_each_alone():
    judged = np.array([[0, 5, 9, 13, 40], [2, 3, 20, 30, 59]])
    together = estimated(judged=judged)
    for row, alone in enumerate(estimated(judged=draw[None, :]) for draw in judged):
        for kind in ("human", "powered"):
            expected = [each[0] for each in getattr(alone, kind)]
            assert [each[row] for each in getattr(together, kind)] == pytest.approx(expected)
        assert together.needed[row] == alone.needed[0]


def test_a_model_without_a_difference_changes_no_estimate_and_saves_nothing():
    for model in (np.full(QUERIES, 0.4), np.full(QUERIES, math.nan)):
        found = estimated(model=model)
        assert found.tuning[0] == 0
        assert found.powered.value == found.human.value
        assert found.needed[0] == JUDGED


def test_a_good_model_saves_the_queries_that_the_human_estimate_would_need():
    found = estimated(model=HUMAN + 0.3)
    assert found.powered.width[0] < 0.6 * found.human.width[0]
    sample = HUMAN[:JUDGED]
    halves = {
        n: stats.t.ppf(0.975, n - 1) * sample.std(ddof=1) * math.sqrt(1 / n - 1 / QUERIES)
        for n in range(JUDGED, QUERIES + 1)
    }
    fewest = min(n for n, half in halves.items() if half <= found.powered.width[0] / 2)
    assert found.needed[0] == fewest > JUDGED


def test_nothing_is_uncertain_when_people_judge_all_queries():
    everything = np.arange(QUERIES)[None, :]
    found = estimated(judged=everything)
    for estimates in (found.human, found.powered):
        assert estimates.value[0] == pytest.approx(HUMAN.mean())
        assert estimates.width[0] == 0


def test_an_interval_needs_three_queries_with_a_value():
    human = np.full((1, 4), math.nan)
    human[0, :2] = (0.2, 0.4)
    found = estimate(human, MODEL, np.arange(4)[None, :])
    assert found.human.value[0] == pytest.approx(0.3)
    assert math.isnan(found.powered.low[0])
    with pytest.raises(ValueError, match="at least 3 judged queries are needed, got 2"):
        estimate(human[:, :2], MODEL, np.arange(2)[None, :])
