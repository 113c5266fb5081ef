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
    difference_ranges,
    score_ranges,
)
from evaluation.gaps.computation.means import MeanRange, PossibleRanks, mean_of, places
from evaluation.gaps.computation.read_lists import ReadLists
from scoring.statistics.paired import SAME

Report = Callable[[int, int], None]  # done, of how many
MOST_EXACT = 30_000  # differences of two systems on a query: some 2 seconds


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
        chosen = [row for row, name in enumerate(self.lists.systems) if name in self.chosen]
        rows = np.array(chosen, dtype=np.int64)
        several = 0
        for place in range(len(self.lists.names)):
            gaps = self.lists.in_gap(self.lists.lists(place).of(rows))
            several += int((gaps.sum(axis=0) > 1).sum())
        return several

    def result(
        self, measure: BoundedMeasure, budget: int, report: Report | None = None
    ) -> tuple[MeasureResult, int]:
        """The result by a measure, and how much of the budget of exact differences is left."""
        systems = self.lists.systems
        own, joint = (np.full((len(systems), len(self.lists.names), 4), np.nan) for _ in range(2))
        for place in range(len(self.lists.names)):
            if report:
                report(place, len(self.lists.names))
            own[:, place], joint[:, place] = self._ranges(measure, place)
        own_means, joint_means = (
            {system: self._means(rows) for system, rows in zip(systems, ranges, strict=True)}
            for ranges in (own, joint)
        )
        differences, exact, budget = self._differences(measure, joint, joint_means, budget)
        scores: dict[str, dict[str, BoundedScore]] = {facet: {} for facet in self.groups}
        for facet in self.groups:
            found = places(*differences[facet])
            for ranks, system in zip(found, systems, strict=True):
                scores[facet][system] = BoundedScore(
                    own_means[system][facet], joint_means[system][facet], ranks
                )
        first = next(iter(self.groups))
        return MeasureResult(scores, list(self._orders(differences[first], exact))), budget

    def _ranges(self, measure: BoundedMeasure, place: int) -> tuple[Floats, Floats]:
        """Of each system: if the system's own gap is judged, and if all open documents are."""
        labels, lists = self.lists.labels(place), self.lists.lists(place)
        joint = score_ranges(measure, labels, lists)
        own = joint[:, [1, 1, 1, 3]]  # of a system without a gap
        if not labels.has_value(measure):
            own[:] = np.nan
        has_gap = np.flatnonzero(self.lists.in_gap(lists).any(axis=1))
        if len(has_gap):
            gaps = self.lists.own_gaps(lists.of(has_gap))
            own[has_gap] = score_ranges(measure, labels, gaps)
        return own, joint

    def _means(self, rows: Floats) -> dict[str, MeanRange]:
        return {facet: mean_of(rows[list(group)]) for facet, group in self.groups.items()}

    def _differences(
        self,
        measure: BoundedMeasure,
        joint: Floats,
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
        undecided = [
            (i, j)
            for i in range(len(systems))
            for j in range(i)
            if any(low[i, j] <= SAME and high[i, j] >= -SAME for low, _, high in found.values())
        ]
        taken = undecided[: budget // size] if size else undecided
        rows = self._exact_differences(measure, joint, taken)
        for (i, j), of_pair in zip(taken, rows, strict=True):
            exact[i, j] = exact[j, i] = True
            for facet, mean in self._means(of_pair).items():
                for matrix, bound, other in zip(found[facet], mean, reversed(mean), strict=True):
                    if bound is not None and other is not None:
                        matrix[i, j], matrix[j, i] = bound, -other
        return found, exact, budget - size * len(taken)

    def _exact_differences(
        self, measure: BoundedMeasure, joint: Floats, pairs: Sequence[tuple[int, int]]
    ) -> Floats:
        """The bounds for each of these pairs of systems and each query: (pairs, queries, 4)."""
        first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        found: Floats = joint[first]
        found[:, :, :3] -= joint[second][:, :, [1]]
        found[:, :, [0, 2]] = found[:, :, [1]]
        for place in range(len(self.lists.names)):
            if self.lists.open_count(place) and len(pairs):
                lists = self.lists.lists(place)
                found[:, place] = difference_ranges(
                    measure, self.lists.labels(place), lists.of(first), lists.of(second)
                )
        return found

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
