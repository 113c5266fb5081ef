"""The measures whose bounds a report has."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from evaluation.gaps.computation.bounds import ADDITIVE, BoundedMeasure, UnboundedMeasure
from scoring.measures.names import Measure
from scoring.measures.profiles import TREC, profile_of
from scoring.measures.scopes import Scope

DEPTH = 20
DEPTHS = (10, 20, 100)


class GapMeasure(NamedTuple):
    """A measure of open lists with its bounds. `has_exact_differences`: see `difference_range`."""

    measure: Measure
    bounded: BoundedMeasure

    @property
    def name(self) -> str:
        return self.measure.name

    @property
    def has_exact_differences(self) -> bool:
        return self.bounded.family in ADDITIVE


def gap_measures(measures: Iterable[Measure], scored_from: int) -> list[GapMeasure]:
    """Those with known bounds. Closed and condensed lists have no unjudged documents."""
    found = []
    for measure in measures:
        if measure.scope is Scope.OPEN:
            with suppress(UnboundedMeasure):
                found.append(GapMeasure(measure, BoundedMeasure.of(measure.name, scored_from)))
    return found


def report_measures(relevant_from: int, depth: int) -> list[GapMeasure]:
    """Those of the profile `trec`, nDCG at the depth of the gaps first."""
    found = gap_measures(profile_of(TREC, relevant_from).measures, relevant_from)
    return sorted(found, key=lambda each: each.name != f"nDCG@{depth}")
