"""The probability that an unjudged pair is relevant, from depth and number of sources. Pure.

A logistic regression on the judged pairs of all queries: the logarithm of the depth at which the
candidate was drawn, whether a forced source drew it, the logarithm of the number of sources that
have it, and the facet. Then each query's chances are multiplied by a factor of its own, shrunk to 1
as far as the queries are alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from planning.yields.pairs import Codes, Flags, Numbers, PairTable
from web.lazy import special

FEWEST_QUERIES = 10  # of a facet, with judged pairs
FEWEST_LABELS = 10  # of a facet: relevant pairs, and others
FOLDS = 10
BINS = 5  # of the calibration, with about equal numbers of pairs
TAIL = 0.025


class ExpectedNumber(NamedTuple):
    """An expected number with its 95 % interval."""

    value: float
    low: float
    high: float


class CalibrationBin(NamedTuple):
    """Judged pairs with similar predictions: the mean prediction and the share of relevant ones."""

    pairs: int
    predicted: float
    observed: float

    @property
    def predicted_percent(self) -> float:
        return 100 * self.predicted

    @property
    def observed_percent(self) -> float:
        return 100 * self.observed


class ForecastCalibration(NamedTuple):
    """Predictions for the judged pairs, by models that were fitted without their queries.

    `brier` is the mean squared difference to what was judged, `brier_without` that of the share of
    the facet, which knows neither depth nor sources. Lower is better.
    """

    queries: int
    pairs: int
    expected: float
    relevant: int
    brier: float
    brier_without: float
    bins: Sequence[CalibrationBin]

    @property
    def is_informative(self) -> bool:
        return self.brier < self.brier_without


@dataclass(frozen=True)
class Forecast:
    """Chances of every pair of a table; NaN in the facets that are not in `facets`.

    `base` are those of the model, `factor` those of each query, with `factor_variance`.
    `scale_variance` is the squared relative error of all chances together. `calibration` is None if
    nothing can be said of any facet.
    """

    table: PairTable
    facets: Codes
    base: Numbers
    factor: Numbers
    factor_variance: Numbers
    scale_variance: float
    calibration: ForecastCalibration | None

    @cached_property
    def chances(self) -> Numbers:
        return np.minimum(1, self.base * self.factor[self.table.query])

    def total(self, pairs: Codes) -> ExpectedNumber:
        """The number of relevant ones among these unjudged pairs of `facets`.

        Its variance has three parts: of each pair's outcome, of each query's factor, and of the
        model. The interval is that of the gamma distribution with this mean and variance.
        """
        chances = self.chances[pairs]
        mean = float(chances.sum())
        by_query = np.bincount(
            self.table.query[pairs], self.base[pairs], minlength=len(self.factor)
        )
        variance = (
            float((chances * (1 - chances)).sum())
            + float((by_query**2 * self.factor_variance).sum())
            + mean**2 * self.scale_variance
        )
        if not mean or not variance:
            return ExpectedNumber(mean, mean, mean)
        shape, scale = mean**2 / variance, variance / mean
        low, high = (float(special.gammaincinv(shape, p)) * scale for p in (TAIL, 1 - TAIL))
        return ExpectedNumber(mean, low, min(high, float(len(pairs))))


def forecast_of(table: PairTable) -> Forecast:
    """Fit the model to the judged pairs of the table, and check it on queries it has not seen.

    A pair that waits for its decision counts as relevant if one of its judges graded it so.
    """
    facets = _facets_with_enough(table)
    known = table.judged & np.isin(table.facet, facets)
    nothing = np.full(len(table.query), np.nan)
    ones, zeros = np.ones(len(table.queries)), np.zeros(len(table.queries))
    if not len(facets):
        return Forecast(table, facets, nothing, ones, zeros, 0, None)
    cells = _Cells.of(table, facets)
    relevant = known & table.relevant_or_maybe
    unseen = _cross_validated(table, cells, known, relevant)
    base = np.where(np.isin(table.facet, facets), cells.fitted(known, relevant), np.nan)
    found = table.sums(relevant)
    overdispersion, scale_variance = _spread(found, table.sums(np.where(known, unseen, 0)), known)
    factor, factor_variance = ones, zeros
    if overdispersion:
        # The posterior of a gamma prior of mean 1 and variance `overdispersion` (Clayton and
        # Kaldor 1987, "Empirical Bayes estimates of age-standardized relative risks").
        prior = 1 / overdispersion
        mass = table.sums(np.where(known, base, 0)) + prior
        factor, factor_variance = (found + prior) / mass, (found + prior) / mass**2
    calibration = _calibration(table, known, relevant, unseen)
    return Forecast(table, facets, base, factor, factor_variance, scale_variance, calibration)


def _facets_with_enough(table: PairTable) -> Codes:
    relevant = table.relevant_or_maybe & table.judged
    enough = []
    for facet in range(len(table.facets)):
        of_facet = table.judged & (table.facet == facet)
        positive = int((of_facet & relevant).sum())
        queries = len(np.unique(table.query[of_facet]))
        others = int(of_facet.sum()) - positive
        if queries >= FEWEST_QUERIES and min(positive, others) >= FEWEST_LABELS:
            enough.append(facet)
    return np.array(enough, dtype=np.int64)


@dataclass(frozen=True)
class _Cells:
    """Pairs with the same features, so that fitting does not depend on the size of the collection.

    `cell` is the cell of each pair, `features` those of each cell.
    """

    cell: Codes
    features: Numbers

    @classmethod
    def of(cls, table: PairTable, facets: Codes) -> _Cells:
        columns = (table.depth, table.sources_with_it, table.facet)
        sizes = [int(column.max(initial=0)) + 1 for column in columns]
        codes = np.ravel_multi_index(columns, sizes)
        present, cell = np.unique(codes, return_inverse=True)
        depth, sources, facet = np.unravel_index(present, sizes)
        features = np.column_stack(
            [
                np.log(np.maximum(depth, 1)),
                depth == 0,
                np.log(np.maximum(sources, 1)),
                *(facet == other for other in facets[1:]),
            ]
        )
        return cls(cell, features.astype(np.float64))

    def fitted(self, among: Flags, relevant: Flags) -> Numbers:
        """The chances of every pair, by a model of the pairs `among`."""
        from sklearn.linear_model import LogisticRegression

        size = len(self.features)
        positive = np.bincount(self.cell[among & relevant], minlength=size)
        negative = np.bincount(self.cell[among & ~relevant], minlength=size)
        if not positive.any() or not negative.any():
            return np.full(len(self.cell), float(positive.any()))
        # Newton's method: few features, so a few steps. L-BFGS takes hundreds, each of which may
        # wait for the threads of OpenBLAS on a busy machine.
        model = LogisticRegression(solver="newton-cholesky", tol=1e-8)
        model.fit(
            np.vstack([self.features, self.features]),
            np.repeat([1, 0], size),
            sample_weight=np.concatenate([positive, negative]),
        )
        chances: Numbers = model.predict_proba(self.features)[:, 1]
        return chances[self.cell]


def _cross_validated(table: PairTable, cells: _Cells, known: Flags, relevant: Flags) -> Numbers:
    """The chance of each pair by a model without its query's fold. Folds go by a hash of names."""
    hashes = [hashlib.sha256(f"yields|{name}".encode()).hexdigest() for name in table.queries]
    fold = np.empty(len(hashes), dtype=np.int64)
    fold[np.argsort(hashes)] = np.arange(len(hashes)) % FOLDS
    of_pair = fold[table.query]
    chances = np.zeros(len(table.query))
    for number in np.unique(of_pair):
        inside = of_pair == number
        chances[inside] = cells.fitted(known & ~inside, relevant)[inside]
    return chances


def _spread(found: Numbers, expected: Numbers, known: Flags) -> tuple[float, float]:
    """The variance of the queries' factors, and the squared relative error of their common scale.

    The first by moments: Var(found) = expected + overdispersion · expected² (Breslow 1984). The
    second is the variance of a ratio over clusters, which are the queries.
    """
    judged = expected > 0
    found, expected = found[judged], expected[judged]
    if not len(found):
        return 0.0, 0.0
    squares = (found - expected) ** 2
    overdispersion = max(0.0, float((squares - expected).sum() / (expected**2).sum()))
    clusters = len(found) / max(1, len(found) - 1)
    return overdispersion, float(clusters * squares.sum() / expected.sum() ** 2)


def _calibration(
    table: PairTable, known: Flags, relevant: Flags, unseen: Numbers
) -> ForecastCalibration:
    predicted, observed = unseen[known], relevant[known].astype(np.float64)
    facet = table.facet[known]
    shares = np.bincount(facet, observed) / np.maximum(1, np.bincount(facet))
    order = np.argsort(predicted, kind="stable")
    bins = [
        CalibrationBin(len(part), float(predicted[part].mean()), float(observed[part].mean()))
        for part in np.array_split(order, BINS)
        if len(part)
    ]
    return ForecastCalibration(
        queries=len(np.unique(table.query[known])),
        pairs=int(known.sum()),
        expected=float(predicted.sum()),
        relevant=int(observed.sum()),
        brier=float(((predicted - observed) ** 2).mean()),
        brier_without=float(((shares[facet] - observed) ** 2).mean()),
        bins=bins,
    )


# The curve


MOST_POINTS = 40  # of each part of a curve


class CurvePoint(NamedTuple):
    """Relevant documents after so many hours of both judges. The ends are those of the band."""

    hours: float
    relevant: float
    low: float
    high: float


class MarginalCurve(NamedTuple):
    """The relevant documents of a facet over the hours of judging: found, then expected.

    The expected part begins where the found one ends, and takes the likeliest pairs first. Judges
    see pairs in random order: what they find lies between this line and the straight one to the
    same end.
    """

    facet: str
    found: Sequence[CurvePoint]
    expected: Sequence[CurvePoint]


def curves(forecast: Forecast) -> Iterator[MarginalCurve]:
    """A curve for each facet with judged pairs; without an expected part if it cannot be said."""
    table = forecast.table
    for facet, name in enumerate(table.facets):
        of_facet = table.facet == facet
        judged = np.flatnonzero(of_facet & table.labelled)
        if not len(judged):
            continue
        judged = judged[np.argsort(table.finished[judged], kind="stable")]
        hours = np.cumsum(table.seconds[judged]) / 3600
        relevant = np.cumsum(table.relevant[judged])
        found = [
            CurvePoint(float(hours[place]), *[float(relevant[place])] * 3)
            for place in _places(len(judged))
        ]
        rest = np.flatnonzero(of_facet & ~table.judged)
        expected = list(_expected(forecast, rest, found[-1])) if facet in forecast.facets else []
        yield MarginalCurve(name, found, expected)


def _expected(forecast: Forecast, rest: Codes, start: CurvePoint) -> Iterator[CurvePoint]:
    if not len(rest):
        return
    order = rest[np.argsort(-forecast.chances[rest], kind="stable")]
    a_pair = 2 * forecast.table.seconds_a_judgment / 3600
    yield start
    for place in _places(len(order)):
        ends = (start.relevant + number for number in forecast.total(order[: place + 1]))
        yield CurvePoint(start.hours + a_pair * (place + 1), *ends)


def _places(count: int) -> Codes:
    """At most MOST_POINTS evenly spaced places from 0 to count - 1, with the last."""
    return np.unique(np.linspace(count - 1, 0, min(count, MOST_POINTS)).astype(np.int64))
