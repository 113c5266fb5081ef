"""A query with its labels, its open documents and the lists of systems. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.gaps.computation.bounds import (
    BoundedMeasure,
    Floats,
    OpenLists,
    QueryLabels,
    ScoreRange,
    difference_ranges,
)


@dataclass(frozen=True)
class OpenQuery:
    """`docnos` are the open documents of the query, which no label has; see `gaps.bounds`.

    `views` has the list of each system by its name. The ranks in `open` are in the order of
    `docnos`.
    """

    name: str
    paper: str
    labels: QueryLabels
    docnos: Sequence[str]
    views: Mapping[str, OpenLists]  # of one list each

    def difference(
        self, measure: BoundedMeasure, first: str, second: str, places: Sequence[int]
    ) -> ScoreRange | None:
        """The bounds of the difference if only these documents are open, by their places."""
        lists = (
            view._replace(open=view.open[:, list(places)])
            for view in (self.views[first], self.views[second])
        )
        return ScoreRange.of(difference_ranges(measure, self.labels, *lists)[0])

    def differences_by_document(self, measure: BoundedMeasure, first: str, second: str) -> Floats:
        """The bounds of the difference if a single document is open, for each of `docnos`."""
        lists = (
            OpenLists(np.repeat(view.judged, len(self.docnos), axis=0), view.open.T)
            for view in (self.views[first], self.views[second])
        )
        return difference_ranges(measure, self.labels, *lists)
