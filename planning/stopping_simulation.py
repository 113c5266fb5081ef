"""Advice to stop and forecasts, simulated on pools that are judged already. Pure.

The judged candidates of a query are put in random orders, and the advice is asked for after each,
as if an admin looked every time. The other queries of the facet are known, as late in a project.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from corpus.ordering import shuffled
from planning.yields.forecast import ExpectedNumber, forecast_of
from planning.yields.pairs import Flags, PairTable
from planning.yields.stopping import (
    FEWEST_QUERIES,
    FEWEST_SEEN,
    NEXT,
    Array,
    chance_of_nothing,
    evidence,
    evidence_of,
    most_left,
    outlook,
)

Sample = tuple[int, int]  # seen, relevant


@dataclass(frozen=True)
class SimulatedOrder:
    """A query in one order. `chances[i]` is that of nothing in the next candidates after
    FEWEST_SEEN + i, and `nothing[i]` says if they held nothing.

    `half` is the number of relevant ones after half of the candidates, with its estimate.
    `bound_held`: at no time were more left than the bound without a prior allows.
    """

    query: str
    relevant: Sequence[bool]
    chances: Sequence[float]
    nothing: Sequence[bool]
    half: int
    half_estimate: ExpectedNumber
    bound_held: bool

    def stops_at(self, threshold: float) -> int | None:
        """The place in `chances` where an admin would stop; None if never."""
        return next((i for i, chance in enumerate(self.chances) if chance >= threshold), None)


class ThresholdResult(NamedTuple):
    """Stopping when the chance of nothing first reaches a threshold.

    Of `orders`, `stopped` did so before the end, and in `true` of them the next candidates held
    nothing. `pairs` were to judge and `saved` were not; `missed` of all `relevant` are among these.
    """

    threshold: float
    orders: int
    stopped: int
    true: int
    pairs: int
    saved: int
    relevant: int
    missed: int


class ChanceBin(NamedTuple):
    """Looks with similar chances: their mean, and the share of looks after which nothing came."""

    looks: int
    said: float
    true: float


def complete_queries(table: PairTable) -> dict[int, Flags]:
    """By place: the relevant candidates of every query of which all are judged, in pool order."""
    size, judged = table.sums(np.ones(len(table.query))), table.sums(table.judged)
    return {
        int(query): table.relevant[table.query == query]
        for query in np.flatnonzero((size > FEWEST_SEEN) & (judged == size))
    }


def simulate_stopping(table: PairTable, seed: str, orders: int) -> Iterator[SimulatedOrder]:
    """Each complete query in this many orders, facet by facet.

    A facet with fewer than FEWEST_QUERIES other complete queries is left out.
    """
    complete = complete_queries(table)
    for facet in range(len(table.facets)):
        queries = [query for query in complete if table.facet_of_query[query] == facet]
        if len(queries) <= FEWEST_QUERIES:
            continue
        samples = {query: _sample(complete[query]) for query in queries}
        prior = evidence_of(samples.values())
        for query in queries:
            without = prior - evidence(*samples[query])
            yield from _orders_of(table.queries[query], complete[query], without, seed, orders)


def _sample(relevant: Flags) -> Sample:
    return len(relevant), int(relevant.sum())


def _orders_of(
    name: str, relevant: Flags, prior: Array, seed: str, orders: int
) -> Iterator[SimulatedOrder]:
    size = len(relevant)

    @cache
    def chance(seen: int, found: int) -> float:
        return chance_of_nothing(prior, seen, found, min(NEXT, size - seen))

    @cache
    def bound(seen: int, found: int) -> int:
        return most_left(seen, found, size - seen)

    places = [str(place) for place in range(size)]
    for number in range(orders):
        order = shuffled(places, seed=f"{seed}|{number}", purpose="stopping", query=name)
        flags = [bool(relevant[int(place)]) for place in order]
        found = np.cumsum([0, *flags])
        looks = range(FEWEST_SEEN, size)
        half = size // 2
        seen_half = outlook(prior, half, int(found[half]), size - half)
        yield SimulatedOrder(
            name,
            flags,
            [chance(seen, int(found[seen])) for seen in looks],
            [not any(flags[seen : seen + NEXT]) for seen in looks],
            int(found[-1] - found[half]),
            ExpectedNumber(seen_half.expected, seen_half.low, seen_half.high),
            all(found[-1] - found[seen] <= bound(seen, int(found[seen])) for seen in looks),
        )


def stops(orders: Sequence[SimulatedOrder], threshold: float) -> ThresholdResult:
    """The sums over orders of stopping at a threshold."""
    stopped = true = saved = missed = 0
    for order in orders:
        place = order.stops_at(threshold)
        if place is not None:
            rest = order.relevant[FEWEST_SEEN + place :]
            stopped, saved, missed = stopped + 1, saved + len(rest), missed + sum(rest)
            true += order.nothing[place]
    return ThresholdResult(
        threshold,
        len(orders),
        stopped,
        true,
        sum(len(order.relevant) for order in orders),
        saved,
        sum(sum(order.relevant) for order in orders),
        missed,
    )


def calibration(orders: Sequence[SimulatedOrder], bins: int = 10) -> list[ChanceBin]:
    """The chances at all looks, in bins of equal width; empty bins are left out."""
    said = np.array([chance for order in orders for chance in order.chances])
    true = np.array([nothing for order in orders for nothing in order.nothing])
    place = np.minimum(bins - 1, (said * bins).astype(int))
    return [
        ChanceBin(int(chosen.sum()), float(said[chosen].mean()), float(true[chosen].mean()))
        for number in range(bins)
        if (chosen := place == number).any()
    ]


class SplitForecast(NamedTuple):
    """A forecast for a third of the judged queries by the others, and what judges found there."""

    expected: ExpectedNumber
    found: int

    @property
    def is_inside(self) -> bool:
        return self.expected.low <= self.found <= self.expected.high


def forecast_splits(table: PairTable, seed: str, splits: int) -> Iterator[SplitForecast]:
    """Random thirds of the judged queries of each facet, as if they were not judged.

    Facets with too few labels in the rest are left out.
    """
    judged = table.sums(table.judged) > 0
    for number in range(splits):
        known = np.zeros(len(table.queries), dtype=np.bool_)
        for facet in range(len(table.facets)):
            places = np.flatnonzero(judged & (table.facet_of_query == facet))
            by_name = {table.queries[place]: place for place in places.tolist()}
            order = shuffled(by_name, seed=f"{seed}|{number}", purpose="splits", query="")
            known[[by_name[name] for name in order[len(order) // 3 :]]] = True
        of_pair = known[table.query]
        columns = ("judged", "labelled", "relevant", "maybe", "seen")
        masked = replace(table, **{name: getattr(table, name) & of_pair for name in columns})
        forecast = forecast_of(masked)
        rest = np.flatnonzero(table.judged & ~of_pair & np.isin(table.facet, forecast.facets))
        if len(rest):
            yield SplitForecast(forecast.total(rest), int(table.relevant[rest].sum()))
