"""The gap of one system whose lists are at hand, such as a file that is scored and not kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from accounts.models import Collection
from evaluation.gaps.computation.bounds import ScoreRange
from evaluation.gaps.computation.means import MeanRange, mean_range
from evaluation.gaps.computation.read_lists import Lists, ReadLists
from evaluation.gaps.cost import gap_hours
from evaluation.gaps.measures import DEPTH, gap_measures
from evaluation.gaps.reading import settled_documents
from scoring.labels import FINAL, GradedLabels
from scoring.measures.names import Measure


class OwnGap(NamedTuple):
    """The documents without a label among the first `depth`, over all queries.

    `bounds` are those of each measure's mean over all queries, as fractions, if these documents
    are judged. `hours` are those of two judges and the adjudicator.
    """

    depth: int
    listed: int
    unjudged: int
    hours: float
    bounds: Mapping[str, tuple[float | None, float | None]]

    def as_json(self) -> dict[str, Any]:
        bounds = {name: {"low": low, "high": high} for name, (low, high) in self.bounds.items()}
        return {**self._asdict(), "bounds": bounds}

    def sentences(self) -> Iterator[str]:
        yield (
            f"Unjudged at {self.depth}: {self.unjudged:,} of {self.listed:,} documents. To judge "
            f"them: {self.unjudged:,} pairs, {self.hours:,.1f} hours."
        )
        could = [
            f"{name} {100 * low:.2f}–{100 * high:.2f}"
            for name, (low, high) in self.bounds.items()
            if low is not None and high is not None
        ]
        if self.unjudged and could:
            yield f"Then it could score, over all queries: {', '.join(could)}."


def own_gap(
    collection: Collection,
    labels: GradedLabels,
    measures: Iterable[Measure],
    lists: Lists,
    *,
    count_empty: bool = False,
    depth: int = DEPTH,
) -> OwnGap:
    """`count_empty`: a query without a relevant document has the value 0."""
    kept = list(lists)
    highest = max((max(grades.values()) for grades in labels.qrels.values()), default=0)
    if labels.source == FINAL:
        highest = max(collection.grades)
    read = ReadLists(labels.qrels, highest, depth, settled_documents(collection))
    read.open_gap(kept)
    read.read("", kept)
    measures = list(measures)
    scored_from = max((measure.least for measure in measures), default=labels.relevant_from)
    unjudged = int(read.gap_sizes()[""].sum())
    bounds: dict[str, MeanRange] = {}
    for each in gap_measures(measures, scored_from):
        ranges = [read.own_range(each.bounded, "", place) for place in range(len(read.names))]
        bounds[each.name] = mean_range(_counted(ranges) if count_empty else ranges)
    return OwnGap(
        depth,
        read.listed(""),
        unjudged,
        gap_hours(collection, unjudged),
        {name: (mean.low, mean.high) for name, mean in bounds.items()},
    )


def _counted(ranges: Sequence[ScoreRange | None]) -> list[ScoreRange | None]:
    return [
        row if row and row.is_certain else ScoreRange(0.0, 0.0, row.high if row else 0.0)
        for row in ranges
    ]
