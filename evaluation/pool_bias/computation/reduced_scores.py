"""The scores of systems with all labels and with fewer. Pure.

The lists of a system are read once. Each label has a number, and a system keeps the ranks of the
labelled documents with their numbers, so that leaving labels out is a mask.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evaluation.gaps.computation.bounds import BoundedMeasure
from evaluation.pool_bias.computation.bounds import grades_in_list, upper_bound
from evaluation.pool_bias.computation.report_measures import ScopedRanks, is_closed
from scoring.measures import Measure
from scoring.measures.computations import judged_share
from scoring.measures.judged_ranks import Floats, JudgedDocuments, JudgedRanks, Qrels

Lists = Iterable[tuple[str, Sequence[str]]]  # query, docnos best first
DEPTHS = (10, 20, 100)


class MeasureValues(NamedTuple):
    """A measure's mean over the queries: standard (the lower bound), condensed, and at most.

    `upper` is None for a measure without a known upper bound.
    """

    standard: float
    condensed: float
    upper: float | None


class UnreducedScores(NamedTuple):
    """A system with all labels. `judged` has judged@k by k, over the queries with a list.

    `per_query` has the values of each measure, by the order of `SourcedLabels.queries`.
    `leaves_pools` is whether a list has a document outside the pool; if not, the system only ranks
    the pools again.
    """

    judged: dict[int, float | None]
    values: dict[str, MeasureValues]
    per_query: dict[str, Floats]
    without_list: int
    leaves_pools: bool


class SourcedLabels:
    """The labels of the queries that have a relevant document, each with a number."""

    def __init__(self, qrels: Qrels, relevant_from: int, highest: int) -> None:
        self.qrels = {
            query: grades
            for query, grades in qrels.items()
            if any(grade >= relevant_from for grade in grades.values())
        }
        self.relevant_from, self.highest = relevant_from, highest
        self.full = JudgedDocuments(self.qrels)
        self.queries = self.full.queries
        self.judged = [
            np.array(list(self.qrels[query].values()), dtype=np.int64) for query in self.queries
        ]
        numbers: dict[str, dict[str, int]] = {}
        grades: list[int] = []
        for query in self.queries:
            numbers[query] = {
                docno: len(grades) + place for place, docno in enumerate(self.qrels[query])
            }
            grades += self.qrels[query].values()
        self._numbers, self._grades = numbers, np.array(grades, dtype=np.int64)
        self._numbered = JudgedDocuments(numbers)

    def ranks_of(self, lists: Lists) -> JudgedRanks:
        """The ranks of the labelled documents; `grade` has the labels' numbers."""
        return self._numbered.ranks_of(lists)

    def graded(self, numbered: JudgedRanks) -> JudgedRanks:
        return replace(numbered, judged=self.full, grade=self._grades[numbered.grade])

    def without(self, dropped: Mapping[str, Collection[str]]) -> ReducedLabels:
        """`dropped`: by query, the documents whose labels are left out."""
        kept = np.ones(len(self._grades), dtype=bool)
        for query, docnos in dropped.items():
            numbers = self._numbers.get(query, {})
            kept[[numbers[docno] for docno in docnos if docno in numbers]] = False
        reduced = {
            query: {
                docno: grade
                for docno, grade in self.qrels[query].items()
                if docno not in dropped.get(query, ())
            }
            for query in self.queries
        }
        judged = JudgedDocuments(reduced, self.full.pool_sizes)
        return ReducedLabels(judged, self._grades, kept, self.relevant_from)


class ReducedLabels(NamedTuple):
    """Labels of the same queries without some; a query can have none left.

    The pools stay as large as they are, so a cut-off at 20 % of a pool stays where it is.
    """

    judged: JudgedDocuments
    grades: npt.NDArray[np.int64]
    kept: npt.NDArray[np.bool_]
    relevant_from: int

    def graded(self, numbered: JudgedRanks) -> JudgedRanks:
        """The ranks of the labels that are kept. The lists stay as long as they are."""
        chosen = self.kept[numbered.grade]
        return replace(
            numbered,
            judged=self.judged,
            query=numbered.query[chosen],
            rank=numbered.rank[chosen],
            grade=self.grades[numbered.grade[chosen]],
        )

    @property
    def dropped(self) -> int:
        return int((~self.kept).sum())

    @property
    def dropped_relevant(self) -> int:
        return int((~self.kept & (self.grades >= self.relevant_from)).sum())

    @property
    def keeps_relevant(self) -> npt.NDArray[np.bool_]:
        """For each query, whether a relevant document is left."""
        return self.judged.relevant(self.relevant_from) > 0


class UpperBounds:
    """The upper bounds of a system's scores, which need a reading of its lists.

    `leaves_pools` is whether a list has a document outside its query's pool. `pooled` has the
    documents of each query's pool.
    """

    def __init__(
        self,
        labels: SourcedLabels,
        bounds: Mapping[str, BoundedMeasure],
        pooled: Mapping[str, Collection[str]],
    ) -> None:
        self._labels, self._bounds, self._pooled = labels, bounds, pooled
        self.values = {name: np.zeros(len(labels.queries)) for name in bounds}
        self.leaves_pools = False

    def reading(self, lists: Lists) -> Lists:
        """The same lists, for labelled queries. A query without a list has the bound 0."""
        for query, docnos in lists:
            number = self._labels.full.number.get(query)
            if number is None:
                continue
            pool = self._pooled.get(query, ())
            self.leaves_pools = self.leaves_pools or any(docno not in pool for docno in docnos)
            listed = grades_in_list(docnos, self._labels.qrels[query])
            for name, bound in self._bounds.items():
                self.values[name][number] = upper_bound(
                    bound, listed, self._labels.judged[number], self._labels.highest
                )
            yield query, docnos

    def mean(self, name: str) -> float | None:
        """None without a bound."""
        return mean_over(self.values[name]) if name in self.values else None


def system_scores(
    labels: SourcedLabels, ranks: ScopedRanks, measures: Sequence[Measure], upper: UpperBounds
) -> UnreducedScores:
    """Everything about a system with all labels; `upper` has read the same lists.

    judged@k is over the queries that the system has a list for. A query without a list scores 0,
    and no document can raise that.
    """
    graded = labels.graded(ranks.given)
    standard = ranks.values(labels.graded, measures)
    condensed = ranks.condensed_values(labels.graded, measures)
    return UnreducedScores(
        judged={k: _mean(judged_share(graded, k)[graded.has_list]) for k in DEPTHS},
        values={
            measure.name: MeasureValues(
                mean_over(standard[measure.name]),
                mean_over(condensed[measure.name]),
                mean_over(standard[measure.name])
                if is_closed(measure)
                else upper.mean(measure.name),
            )
            for measure in measures
        },
        per_query=standard,
        without_list=int((~graded.has_list).sum()),
        leaves_pools=upper.leaves_pools,
    )


class ReducedValues(NamedTuple):
    """A system's values with fewer labels: by measure, in the order of `SourcedLabels.queries`."""

    standard: dict[str, Floats]
    condensed: dict[str, Floats]


def reduced_values(
    reduced: ReducedLabels, ranks: ScopedRanks, measures: Sequence[Measure]
) -> ReducedValues:
    return ReducedValues(
        ranks.values(reduced.graded, measures), ranks.condensed_values(reduced.graded, measures)
    )


def reduced_judged_share(reduced: ReducedLabels, ranks: JudgedRanks, k: int) -> float | None:
    """A system's judged@k with fewer labels."""
    graded = reduced.graded(ranks)
    return _mean(judged_share(graded, k)[graded.has_list])


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None


def mean_over(values: Floats, chosen: npt.NDArray[np.bool_] | None = None) -> float:
    """The mean over the chosen queries; 0 if there is none.

    A measure with a higher threshold than the labels have is undefined for a query without a
    document of that grade. The query counts as 0, so all measures are over the same queries.
    """
    counted = values if chosen is None else values[chosen]
    return float(np.nan_to_num(counted).mean()) if len(counted) else 0.0
