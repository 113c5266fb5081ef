"""Relevant documents per hour of judging, by source, depth, facet and strategy. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from corpus.resampling import FEWEST_QUERIES, Ends, draw_counts, percentile_ends
from planning.yields.forecast import Forecast
from planning.yields.pairs import Codes, Flags, Numbers, PairTable, band_name

HOUR = 3600


class Group(NamedTuple):
    """A row of the table. `drawn`, `has`, `depth`, `facet` and `strategy` are its dimensions.

    `pairs` are all of the group, `judged` those with a final grade, which took `hours` of both
    judges together. `low` and `high` are None for fewer than ten queries. Of the `unjudged` pairs,
    `expected` are relevant, and they take `hours_left`. Nothing is expected of `unsaid` other
    unjudged pairs, which are of facets with too few labels.
    """

    dimension: str
    name: str
    pairs: int
    queries: int
    judged: int
    relevant: int
    hours: float
    per_hour: float | None
    low: float | None
    high: float | None
    unjudged: int
    unsaid: int
    hours_left: float
    expected: float
    expected_low: float
    expected_high: float

    @property
    def expected_per_hour(self) -> float | None:
        return self._each_hour(self.expected)

    @property
    def expected_per_hour_low(self) -> float | None:
        return self._each_hour(self.expected_low)

    @property
    def expected_per_hour_high(self) -> float | None:
        return self._each_hour(self.expected_high)

    def _each_hour(self, number: float) -> float | None:
        return number / self.hours_left if self.hours_left else None


class Members(NamedTuple):
    """The pairs of a group, by their places in the table."""

    dimension: str
    name: str
    pairs: Codes


DIMENSIONS = ("all", "drawn", "has", "depth", "facet", "strategy")


def groups_of(table: PairTable) -> Iterator[Members]:
    """Every group of every dimension with a pair. A pair is in a group of `has` for each source."""
    yield Members("all", "", np.arange(len(table.query)))
    yield from _by_code("drawn", table.source, table.sources)
    for code, source in enumerate(table.sources):
        if len(pairs := table.has_pair[table.has_source == code]):
            yield Members("has", source, pairs)
    for place in np.unique(table.band):
        yield Members("depth", band_name(int(place)), np.flatnonzero(table.band == place))
    yield from _by_code("facet", table.facet, table.facets)
    yield from _by_code("strategy", table.strategy, table.strategies)


def _by_code(dimension: str, codes: Codes, names: Sequence[str]) -> Iterator[Members]:
    for code, name in enumerate(names):
        if len(pairs := np.flatnonzero(codes == code)):
            yield Members(dimension, name, pairs)


def rates(table: PairTable, forecast: Forecast, seed: str) -> list[Group]:
    """The groups in the order of `groups_of`, with intervals.

    The interval of the rate found is a percentile bootstrap over the queries of the group with
    judged pairs: a query is drawn with all its pairs. The same draws serve all groups.
    """
    members = list(groups_of(table))
    hours = np.where(table.labelled, table.seconds, 0) / HOUR
    found = [
        (_by_query(table, group, table.relevant), _by_query(table, group, hours))
        for group in members
    ]
    ends = ratio_intervals(
        np.array([relevant for relevant, _ in found]),
        np.array([hours for _, hours in found]),
        table.sums(table.labelled) > 0,
        f"{seed}|yields",
    )
    return [
        _row(table, forecast, group, *sums, interval)
        for group, sums, interval in zip(members, found, ends, strict=True)
    ]


def _by_query(table: PairTable, group: Members, values: Numbers | Flags) -> Numbers:
    queries = table.query[group.pairs]
    weights = values[group.pairs].astype(np.float64)
    sums: Numbers = np.bincount(queries, weights, len(table.queries)).astype(np.float64)
    return sums


def ratio_intervals(
    tops: Numbers, bottoms: Numbers, taking_part: Flags, name: str
) -> list[Ends | None]:
    """95 % intervals of Σ top / Σ bottom for each row of (groups × queries).

    None for a group with fewer than FEWEST_QUERIES queries above 0 in its bottom, and for one whose
    bottom is 0 in a resample. Source: as `agreement.intervals.MedianIntervals`.
    """
    tops, bottoms = tops[:, taking_part], bottoms[:, taking_part]
    number = tops.shape[1]
    enough = (bottoms > 0).sum(axis=1) >= FEWEST_QUERIES
    if not enough.any():
        return [None] * len(tops)
    ratios = []
    for counts in draw_counts(number, f"{name}|{number}"):
        times = counts.astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios.append((times @ tops.T) / (times @ bottoms.T))
    estimates = np.concatenate(ratios)
    return [
        percentile_ends(column) if can_say and np.isfinite(column).all() else None
        for column, can_say in zip(estimates.T, enough, strict=True)
    ]


def _row(
    table: PairTable,
    forecast: Forecast,
    group: Members,
    relevant: Numbers,
    hours: Numbers,
    interval: Ends | None,
) -> Group:
    found, spent = int(relevant.sum()), float(hours.sum())
    open_pairs = group.pairs[~table.judged[group.pairs]]
    unjudged = open_pairs[np.isin(table.facet[open_pairs], forecast.facets)]
    low, high = interval or (None, None)
    expected = forecast.total(unjudged)
    return Group(
        group.dimension,
        group.name,
        pairs=len(group.pairs),
        queries=int((hours > 0).sum()),
        judged=int(table.labelled[group.pairs].sum()),
        relevant=found,
        hours=spent,
        per_hour=found / spent if spent else None,
        low=low,
        high=high,
        unjudged=len(unjudged),
        unsaid=len(open_pairs) - len(unjudged),
        hours_left=len(unjudged) * 2 * table.seconds_a_judgment / HOUR,
        expected=expected.value,
        expected_low=expected.low,
        expected_high=expected.high,
    )
