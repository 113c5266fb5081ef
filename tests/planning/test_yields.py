"""Rates, forecasts and curves, by hand and by second implementations."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import gamma

from corpus.resampling import RESAMPLES, draw
from planning.yields.figures import curve_figure, rate_figure
from planning.yields.forecast import curves, forecast_of
from planning.yields.pairs import band_name
from planning.yields.rates import rates, ratio_intervals
from tests.support.pair_tables import a_table

# Twelve queries; a candidate that two sources have is relevant more often.
POOLS = {f"q{number:02}": "R.R....R" + "R"[: number % 2] + "....s" for number in range(12)}
DEPTHS = [depth for marks in POOLS.values() for depth in range(1, len(marks) + 1)]
SOURCES = [(0, 1) if place < 4 else (1,) for marks in POOLS.values() for place in range(len(marks))]


def a_judged_table(**more):
    return a_table(
        {**POOLS, **more.pop("pools", {})}, **{"depths": DEPTHS, "sources": SOURCES} | more
    )


def with_open_pairs():
    """The same, and a query of 30 unjudged pairs, half of them in both lists."""
    return a_judged_table(
        pools={"open": "?" * 30},
        depths=[*DEPTHS, *range(1, 31)],
        sources=[*SOURCES, *[(0, 1)] * 15, *[(1,)] * 15],
    )


def groups_of(table):
    return {
        (group.dimension, group.name): group for group in rates(table, forecast_of(table), "seed")
    }


def test_relevant_documents_are_divided_by_the_hours_of_both_judges():
    group = groups_of(a_judged_table())["all", ""]
    relevant = sum(marks.count("R") for marks in POOLS.values())
    judged = sum(len(marks) - 1 for marks in POOLS.values())  # one of each is set aside
    assert (group.relevant, group.judged, group.queries) == (relevant, judged, 12)
    assert group.hours == pytest.approx(judged * 30 / 3600)
    assert group.per_hour == pytest.approx(relevant / judged * 120)


def test_a_candidate_is_in_the_lists_of_all_and_drawn_by_one():
    groups = groups_of(a_judged_table())
    assert groups["drawn", "source0"].pairs == groups["has", "source0"].pairs == 12 * 4
    assert groups["drawn", "source1"].pairs == len(DEPTHS) - 12 * 4
    assert groups["has", "source1"].pairs == len(DEPTHS)
    assert groups["drawn", "source0"].relevant == 24


def test_depths_are_in_bands_and_forced_sources_have_none():
    table = a_table({"q": "R" * 7}, depths=[0, 1, 10, 11, 50, 51, 201])
    names = [name for dimension, name in groups_of(table) if dimension == "depth"]
    assert names == ["forced", "1–10", "11–20", "21–50", "51–100", "201 and deeper"]
    assert groups_of(table)["depth", "1–10"].pairs == 2
    assert band_name(-1) == "forced"


def test_the_interval_is_a_bootstrap_over_queries():
    """A second implementation, resample by resample."""
    rng = np.random.default_rng(5)
    tops, bottoms = rng.integers(0, 9, (2, 14)).astype(float), rng.random((2, 14)) + 0.5
    taking_part = np.arange(14) != 3
    found = ratio_intervals(tops, bottoms, taking_part, "name")
    kept = [place for place in range(14) if place != 3]
    for row, ends in enumerate(found):
        ratios = [
            sum(tops[row][kept[place]] for place in places)
            / sum(bottoms[row][kept[place]] for place in places)
            for block in draw(13, 13, "name|13", RESAMPLES)
            for place_row in block
            for places in [place_row.tolist()]
        ]
        assert ends == pytest.approx(np.percentile(ratios, [2.5, 97.5]))


def test_fewer_than_ten_queries_have_no_interval():
    few = dict(list(POOLS.items())[:9])
    table = a_table(few, depths=DEPTHS[: sum(map(len, few.values()))])
    group = groups_of(table)["all", ""]
    assert (group.low, group.high) == (None, None)
    assert group.per_hour is not None
    assert list(rate_figure([group])) == []


def test_pairs_that_wait_are_in_no_number_of_what_was_found():
    group = groups_of(a_table({"q": "R.m?"}))["all", ""]
    assert (group.pairs, group.judged, group.relevant) == (4, 2, 1)
    assert group.unjudged + group.unsaid == 1


# Forecast


def regression_of(table):
    """The same penalised likelihood by another optimiser: scikit-learn's default is C = 1."""
    x = np.column_stack(
        [np.log(np.maximum(table.depth, 1)), table.depth == 0, np.log(table.sources_with_it)]
    )
    y = table.relevant_or_maybe[table.judged]

    def loss(weights):
        logits = x[table.judged] @ weights[1:] + weights[0]
        signs = np.where(y, 1, -1)
        return np.logaddexp(0, -signs * logits).sum() + (weights[1:] ** 2).sum() / 2

    weights = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9}).x
    return 1 / (1 + np.exp(-(x @ weights[1:] + weights[0])))


def test_the_chances_are_those_of_a_logistic_regression():
    table = with_open_pairs()
    assert forecast_of(table).base == pytest.approx(regression_of(table), rel=1e-4)


def test_a_query_has_its_own_factor_which_is_shrunk():
    # Queries differ far more than by chance.
    pools = {f"q{number:02}": "R" * 9 + "." * 3 for number in range(8)}
    pools |= {f"z{number:02}": "R" + "." * 11 for number in range(8)}
    table = a_table(pools | {"rich": "RRR." + "?" * 8, "new": "?" * 12})
    forecast = forecast_of(table)
    factor = dict(zip(table.queries, forecast.factor, strict=True))
    assert factor["z00"] < factor["new"] < factor["rich"] < factor["q00"] < 9 / 5
    assert factor["new"] == pytest.approx(1)

    found, expected = defaultdict(int), defaultdict(float)
    for place in np.flatnonzero(table.judged):
        found[table.queries[table.query[place]]] += int(table.relevant[place])
        expected[table.queries[table.query[place]]] += forecast.base[place]
    k = 1 / forecast.factor_variance[-1]  # of a query without judged pairs: k / k²
    for name in pools:
        assert factor[name] == pytest.approx((found[name] + k) / (expected[name] + k))


def test_the_interval_of_a_sum_has_three_variances():
    table = with_open_pairs()
    forecast = forecast_of(table)
    places = np.flatnonzero(~table.judged)
    chances = forecast.chances[places]
    variance = (
        (chances * (1 - chances)).sum()
        + forecast.base[places].sum() ** 2 * forecast.factor_variance[-1]
        + chances.sum() ** 2 * forecast.scale_variance
    )
    total = forecast.total(places)
    mean = chances.sum()
    ends = gamma.ppf([0.025, 0.975], mean**2 / variance, scale=variance / mean)
    assert total == pytest.approx((mean, *ends))
    assert forecast.total(places[:0]) == (0, 0, 0)


def test_candidates_of_more_sources_are_expected_to_be_relevant():
    table = with_open_pairs()
    groups = groups_of(table)
    assert groups["all", ""].unjudged == 30
    assert groups["drawn", "source0"].expected > groups["drawn", "source1"].expected
    assert groups["all", ""].expected == pytest.approx(
        groups["drawn", "source0"].expected + groups["drawn", "source1"].expected
    )
    assert groups["all", ""].hours_left == pytest.approx(30 * 30 / 3600)


def test_nothing_is_said_of_a_facet_with_too_few_labels():
    table = a_judged_table(
        pools={"other": "?" * 5},
        depths=[*DEPTHS, *[1] * 5],
        sources=[*SOURCES, *[(0,)] * 5],
        facets=("Method", "Result"),
        facet_of={"other": 1},
    )
    group = groups_of(table)["facet", "Result"]
    assert (group.unjudged, group.unsaid, group.expected_per_hour) == (0, 5, None)
    few = replace(table, judged=table.judged & (table.query < 9))
    forecast = forecast_of(few)
    assert forecast.calibration is None
    assert np.isnan(forecast.chances).all()


def test_the_calibration_is_of_models_without_the_query():
    table = a_judged_table()
    calibration = forecast_of(table).calibration
    assert calibration.pairs == len(table.query)
    assert calibration.relevant == table.relevant.sum()
    assert sum(part.pairs for part in calibration.bins) == calibration.pairs
    assert calibration.is_informative


def test_the_expected_number_is_that_of_the_other_folds():
    """Without a feature that differs, a model is the share of the pairs that it was fitted to."""
    pools = {f"q{number:02}": "R" * number + "." * 8 for number in range(12)}
    table = a_table(pools)
    order = sorted(pools, key=lambda name: hashlib.sha256(f"yields|{name}".encode()).hexdigest())
    fold = {name: place % 10 for place, name in enumerate(order)}
    expected = 0.0
    for name, marks in pools.items():
        others = "".join(pools[other] for other in pools if fold[other] != fold[name])
        expected += len(marks) * others.count("R") / len(others)
    calibration = forecast_of(table).calibration
    assert calibration.expected == pytest.approx(expected, rel=1e-5)
    assert not calibration.is_informative


# Curves


def test_the_curve_goes_on_with_the_likeliest_pairs():
    table = with_open_pairs()
    forecast = forecast_of(table)
    (curve,) = curves(forecast)
    assert curve.found[-1].relevant == table.relevant.sum()
    assert curve.found[-1].hours == pytest.approx(table.seconds[table.labelled].sum() / 3600)
    assert curve.expected[0] == curve.found[-1]
    gains = np.diff([point.relevant for point in curve.expected])
    assert all(gains[:-1] >= gains[1:] - 1e-12)
    total = forecast.total(np.flatnonzero(~table.judged))
    assert curve.expected[-1].relevant == pytest.approx(table.relevant.sum() + total.value)
    assert curve.expected[-1].high == pytest.approx(table.relevant.sum() + total.high)


def test_found_documents_are_in_the_order_of_judging():
    table = a_table({"q": "R..."})
    (curve,) = curves(forecast_of(replace(table, finished=np.array([4, 3, 2, 1]))))
    assert [point.relevant for point in curve.found] == [0, 0, 0, 1]
    assert curve.expected == []
    (figure,) = curve_figure([curve])
    assert "expected" not in figure.note


def test_the_figure_says_what_is_expected_and_draws_the_band():
    (figure,) = curve_figure(list(curves(forecast_of(with_open_pairs()))))
    (panel,) = figure.panels
    assert "are expected after" in panel.finding
    assert "Pale: expected" in figure.note
    drawn = [stroke.css for stroke in panel.strokes]
    assert drawn.count("chord") == 1
    assert drawn.count("band") == 2 * drawn.count("expected") > 0
    assert {part for _, part, *_ in figure.rows} == {"found", "expected"}
    assert list(curve_figure([])) == []
