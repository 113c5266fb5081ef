"""Scores, places and orders of systems if the gaps of some of them are judged. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evaluation.gaps.computation.bounds import (
    ADDITIVE,
    BoundedMeasure,
    Floats,
    ScoreRange,
    difference_range,
    score_range,
    share_with_elsewhere,
)
from evaluation.gaps.computation.means import MeanRange, PossibleRanks, mean_range, places
from evaluation.gaps.computation.read_lists import ReadLists
from scoring.statistics.paired import SAME

Report = Callable[[int, int], None]  # done, of how many
MOST_EXACT = 30_000  # differences of two systems on a query: some 10 seconds


class BoundedScore(NamedTuple):
    """A system by one measure: if its own gap is judged, and if all gaps are."""

    own: MeanRange
    joint: MeanRange
    place: PossibleRanks


class OpenOrder(NamedTuple):
    """Two systems of which either can have the higher mean; the difference is first minus second.

    `is_exact`: there are labels for both bounds. If not, they are at most too far apart.
    """

    first: str
    second: str
    difference: MeanRange
    is_exact: bool


class MeasureResult(NamedTuple):
    """By facet and system, and the open orders over all queries, the closest first."""

    scores: Mapping[str, Mapping[str, BoundedScore]]
    orders: Sequence[OpenOrder]


@dataclass(frozen=True)
class JudgedLater:
    """The systems that were read. `chosen` are those whose gaps were opened, to be judged.

    `groups` has the places of the queries of each facet, and of all together.
    """

    lists: ReadLists
    chosen: Sequence[str]
    groups: Mapping[str, Sequence[int]]

    @cached_property
    def pairs(self) -> int:
        """The pairs to judge: those that are in several gaps count once."""
        return sum(map(self.lists.open_count, range(len(self.lists.names))))

    @cached_property
    def shared(self) -> int:
        """The pairs that are in two of the gaps or more."""
        several = 0
        for place in range(len(self.lists.names)):
            gaps = [self.lists.in_gap(self.lists.view(name, place)) for name in self.chosen]
            several += int((np.sum(gaps, axis=0) > 1).sum())
        return several

    def result(
        self, measure: BoundedMeasure, budget: int, report: Report | None = None
    ) -> tuple[MeasureResult, int]:
        """The result by a measure, and how much of the budget of exact differences is left."""
        systems = self.lists.systems
        joint: dict[str, list[ScoreRange | None]] = {}
        scores: dict[str, dict[str, BoundedScore]] = {facet: {} for facet in self.groups}
        own_means: dict[str, dict[str, MeanRange]] = {}
        shares = [self._share(measure, place) for place in range(len(self.lists.names))]
        for done, system in enumerate(systems):
            if report:
                report(done, len(systems))
            own, joint[system] = self._ranges(measure, system, shares)
            own_means[system] = self._means(own)
        joint_means = {system: self._means(joint[system]) for system in systems}
        differences, exact, budget = self._differences(measure, joint, joint_means, budget)
        for facet in self.groups:
            found = places(*differences[facet])
            for place, system in zip(found, systems, strict=True):
                scores[facet][system] = BoundedScore(
                    own_means[system][facet], joint_means[system][facet], place
                )
        first = next(iter(self.groups))
        return MeasureResult(scores, list(self._orders(differences[first], exact))), budget

    def _share(self, measure: BoundedMeasure, place: int) -> float | None:
        return share_with_elsewhere(measure, self.lists.labels(place), self.lists.open_count(place))

    def _ranges(
        self, measure: BoundedMeasure, system: str, shares: Sequence[float | None]
    ) -> tuple[list[ScoreRange | None], list[ScoreRange | None]]:
        """By query: if the system's own gap is judged, and if all open documents are."""
        own: list[ScoreRange | None] = []
        joint: list[ScoreRange | None] = []
        for place, share in enumerate(shares):
            labels, view = self.lists.labels(place), self.lists.view(system, place)
            alone = self.lists.own_range(measure, system, place)
            own.append(alone)
            if self.lists.in_gap(view).all():
                joint.append(alone)
            elif share is None or alone is None or not alone.is_certain or view.open.any():
                joint.append(score_range(measure, labels, view))
            else:
                joint.append(ScoreRange(alone.value * share, alone.value, alone.value))
        return own, joint

    def _means(self, ranges: Sequence[ScoreRange | None]) -> dict[str, MeanRange]:
        return {
            facet: mean_range([ranges[place] for place in group])
            for facet, group in self.groups.items()
        }

    def _differences(
        self,
        measure: BoundedMeasure,
        ranges: Mapping[str, Sequence[ScoreRange | None]],
        means: Mapping[str, Mapping[str, MeanRange]],
        budget: int,
    ) -> tuple[dict[str, tuple[Floats, Floats, Floats]], npt.NDArray[np.bool_], int]:
        """By facet, the lowest, present and highest mean differences of all pairs of systems.

        Those of two intervals are at most too far apart. Where these do not decide the order, they
        are computed with the same labels for both systems, as far as the budget goes.
        """
        systems = self.lists.systems
        found: dict[str, tuple[Floats, Floats, Floats]] = {}
        for facet in self.groups:
            low, value, high = (
                np.array([means[system][facet][part] for system in systems], dtype=np.float64)
                for part in range(3)
            )
            found[facet] = (
                low[:, None] - high[None, :],
                value[:, None] - value[None, :],
                high[:, None] - low[None, :],
            )
            for matrix in found[facet]:
                np.fill_diagonal(matrix, np.nan)
        exact = np.zeros((len(systems), len(systems)), dtype=bool)
        if measure.family not in ADDITIVE:
            return found, exact, budget
        size = sum(self.lists.open_count(place) > 0 for place in range(len(self.lists.names)))
        for i, first in enumerate(systems):
            for j, second in enumerate(systems[:i]):
                undecided = any(
                    low[i, j] <= SAME and high[i, j] >= -SAME for low, _, high in found.values()
                )
                if not undecided or size > budget:
                    continue
                budget -= size
                exact[i, j] = exact[j, i] = True
                by_facet = self._means(
                    [
                        self._difference(measure, place, first, second, ranges)
                        for place in range(len(self.lists.names))
                    ]
                )
                for facet, mean in by_facet.items():
                    for matrix, bound, other in zip(
                        found[facet], mean, reversed(mean), strict=True
                    ):
                        if bound is not None and other is not None:
                            matrix[i, j], matrix[j, i] = bound, -other
        return found, exact, budget

    def _difference(
        self,
        measure: BoundedMeasure,
        place: int,
        first: str,
        second: str,
        ranges: Mapping[str, Sequence[ScoreRange | None]],
    ) -> ScoreRange | None:
        if self.lists.open_count(place):
            views = [self.lists.view(system, place) for system in (first, second)]
            return difference_range(measure, self.lists.labels(place), *views)
        one, other = ranges[first][place], ranges[second][place]
        if one is None or other is None:
            return None
        value = one.value - other.value
        return ScoreRange(value, value, value)

    def _orders(
        self, differences: tuple[Floats, Floats, Floats], exact: npt.NDArray[np.bool_]
    ) -> list[OpenOrder]:
        systems = self.lists.systems
        lows, values, highs = differences
        values = np.nan_to_num(values)  # without any value the systems are equal
        orders = []
        for i, first in enumerate(systems):
            for j, second in enumerate(systems):
                # Each pair once, the one that is higher now first; equal ones by name.
                is_equal = abs(values[i, j]) <= SAME
                is_first = values[i, j] > SAME or (is_equal and first < second)
                can_change = lows[i, j] < -SAME or (is_equal and highs[i, j] > SAME)
                if i != j and is_first and can_change:
                    mean = MeanRange(*(float(each[i, j]) for each in (lows, values, highs)))
                    orders.append(OpenOrder(first, second, mean, bool(exact[i, j])))
        return sorted(orders, key=lambda each: (each.difference.value, each.first, each.second))
