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

from evaluation.measures import Measure
from evaluation.measures.computations import judged_share
from evaluation.measures.judged_ranks import Floats, JudgedDocuments, JudgedRanks, Qrels
from evaluation.measures.scoring import ours
from evaluation.pool_bias.bounds import BoundedMeasure, grades_in_list, upper_bound

Lists = Iterable[tuple[str, Sequence[str]]]  # query, docnos best first
DEPTHS = (10, 20, 100)


class Values(NamedTuple):
    """A measure's mean over the queries: standard (the lower bound), condensed, and at most.

    `upper` is None for a measure without a known upper bound.
    """

    standard: float
    condensed: float
    upper: float | None


class SystemScores(NamedTuple):
    """A system with all labels. `judged` has judged@k by k, over the queries with a list.

    `per_query` has the values of each measure, by the order of `Labels.queries`; NaN where the
    query has no relevant document.
    """

    judged: dict[int, float | None]
    values: dict[str, Values]
    per_query: dict[str, Floats]
    without_list: int


class Labels:
    """The labels of the queries that have a relevant document, each with a number."""

    def __init__(self, qrels: Qrels, relevant_from: int, highest: int) -> None:
        self.qrels = {
            query: grades
            for query, grades in qrels.items()
            if any(grade >= relevant_from for grade in grades.values())
        }
        self.highest = highest
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
        return ReducedLabels(JudgedDocuments(reduced), self._grades, kept)


class ReducedLabels(NamedTuple):
    """Labels of the same queries without some; a query can have none left."""

    judged: JudgedDocuments
    grades: npt.NDArray[np.int64]
    kept: npt.NDArray[np.bool_]

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

    def dropped_relevant(self, relevant_from: int) -> int:
        return int((~self.kept & (self.grades >= relevant_from)).sum())


class UpperBounds:
    """The upper bounds of a system, computed while its lists are read for something else."""

    def __init__(self, labels: Labels, bounds: Mapping[str, BoundedMeasure]) -> None:
        self._labels, self._bounds = labels, bounds
        self.values = {name: np.zeros(len(labels.queries)) for name in bounds}

    def reading(self, lists: Lists) -> Lists:
        """The same lists, for labelled queries. A query without a list has the bound 0."""
        for query, docnos in lists:
            number = self._labels.full.number.get(query)
            if number is None:
                continue
            listed = grades_in_list(docnos, self._labels.qrels[query])
            for name, bound in self._bounds.items():
                self.values[name][number] = upper_bound(
                    bound, listed, self._labels.judged[number], self._labels.highest
                )
            yield query, docnos

    def mean(self, name: str, standard: Floats) -> float | None:
        """Over the queries for which the standard value is defined; None without a bound."""
        if name not in self.values:
            return None
        return _defined_mean(np.where(np.isnan(standard), np.nan, self.values[name]))


def system_scores(
    labels: Labels, numbered: JudgedRanks, measures: Sequence[Measure], upper: UpperBounds
) -> SystemScores:
    """Everything about a system with all labels; `upper` has read the same lists.

    judged@k is over the queries that the system has a list for. A query without a list scores 0,
    and no document can raise that.
    """
    ranks = labels.graded(numbered)
    standard, condensed = ours(ranks, measures), ours(ranks.condensed(), measures)
    return SystemScores(
        judged={k: _mean(judged_share(ranks, k)[ranks.has_list]) for k in DEPTHS},
        values={
            measure.name: Values(
                _defined_mean(standard[measure.name]),
                _defined_mean(condensed[measure.name]),
                upper.mean(measure.name, standard[measure.name]),
            )
            for measure in measures
        },
        per_query=standard,
        without_list=int((~ranks.has_list).sum()),
    )


class ReducedMeans(NamedTuple):
    """The mean of a measure by system, with all labels and with fewer, over the same queries.

    `queries` are those that still have a relevant document. `lost` have none any more.
    """

    full: dict[str, float]
    reduced: dict[str, float]
    queries: int
    lost: int


def reduced_means(
    reduced: ReducedLabels,
    numbered: Mapping[str, JudgedRanks],
    full: Mapping[str, Floats],
    measure: Measure,
) -> ReducedMeans:
    """`numbered` and `full`: by system, its ranks and its values with all labels."""
    full_means, reduced_scores = {}, {}
    queries = lost = 0
    for name, ranks in numbered.items():
        values = ours(reduced.graded(ranks), [measure])[measure.name]
        defined = ~np.isnan(values)
        full_means[name] = _defined_mean(full[name][defined])
        reduced_scores[name] = _defined_mean(values[defined])
        queries, lost = int(defined.sum()), int((~defined & ~np.isnan(full[name])).sum())
    return ReducedMeans(full_means, reduced_scores, queries, lost)


def reduced_judged_shares(
    reduced: ReducedLabels, numbered: Mapping[str, JudgedRanks], k: int
) -> dict[str, float | None]:
    """judged@k by system with fewer labels."""
    shares = {}
    for name, ranks in numbered.items():
        graded = reduced.graded(ranks)
        shares[name] = _mean(judged_share(graded, k)[graded.has_list])
    return shares


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None


def _defined_mean(values: Iterable[float]) -> float:
    """The mean over the defined values; 0 if there is none."""
    array = np.asarray(values, dtype=np.float64)
    array = array[~np.isnan(array)]
    return float(array.mean()) if len(array) else 0.0
