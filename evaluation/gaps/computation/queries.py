"""A query with its labels, its open documents and the lists of systems. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.gaps.computation.bounds import (
    BoundedMeasure,
    OpenList,
    QueryLabels,
    ScoreRange,
    difference_range,
    score_range,
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
    views: Mapping[str, OpenList]

    def range_of(self, measure: BoundedMeasure, system: str) -> ScoreRange | None:
        return score_range(measure, self.labels, self.views[system])

    def difference(self, measure: BoundedMeasure, first: str, second: str) -> ScoreRange | None:
        return difference_range(measure, self.labels, self.views[first], self.views[second])

    def keeping(self, chosen: Collection[int], systems: Collection[str]) -> OpenQuery:
        """The query with only these open documents, by their places, and these systems."""
        places = np.array(sorted(chosen), dtype=np.int64)
        return replace(
            self,
            docnos=[self.docnos[place] for place in places],
            views={
                name: self.views[name]._replace(open=self.views[name].open[places])
                for name in systems
            },
        )
