"""The compared pairs of a shadow judge, as arrays. Pure.

A compared pair has a label of the model and a grade by each annotator.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from corpus.resampling import FEWEST_QUERIES
from evaluation.shadow_judges.agreement import PLACES, ComparedPair, RaterComparison

FEWEST_PAIRS = 30  # with a number of their own
NO_LABEL = -1  # of a pair whose final label is not compared

Mask = npt.NDArray[np.bool_]  # (pairs,)
Counts = npt.NDArray[np.int64]  # (queries, …): numbers of pairs


class CandidateFacts(NamedTuple):
    """The facts about the candidate of a pair.

    `words` counts title and abstract. `drawn` is the source that drew it, "" if none is recorded.
    `found` are the sources that found it (`adjudication.retriever_yield.is_found`).
    """

    words: int | None = None
    year: int | None = None
    drawn: str = ""
    found: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ComparedPairs:
    """Arrays with an entry for each compared pair.

    `query[i]` is the place of its query in `queries`. `labels[i]` has the labels in the order of
    `PLACES`; the final one is NO_LABEL without a label, and for all pairs of a query that waits
    for the adjudicator. There the agreed pairs alone would have labels, and agreement with them
    would be too high. `grades` is how many grades the scale has.
    """

    queries: Sequence[str]
    facets: Sequence[str]  # of each pair
    query: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int64]  # (pairs, 4)
    facts: Sequence[CandidateFacts]
    grades: int
    unfinished: int  # queries that wait for the adjudicator
    _kept: dict[str, Counts] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, pairs: Iterable[tuple[ComparedPair, CandidateFacts]], grades: int) -> ComparedPairs:
        """Of all judged pairs; those that cannot be compared are left out."""
        compared = [
            (pair, facts)
            for pair, facts in pairs
            if not (pair.model is None or pair.first is None or pair.second is None)
        ]
        waiting = {pair.query for pair, _ in compared if pair.final is None and not pair.set_aside}
        queries = sorted({pair.query for pair, _ in compared})
        places = {query: place for place, query in enumerate(queries)}
        labels = [
            (
                pair.model,
                pair.first,
                pair.second,
                NO_LABEL if pair.final is None or pair.query in waiting else pair.final,
            )
            for pair, _ in compared
        ]
        return cls(
            queries=queries,
            facets=[pair.facet for pair, _ in compared],
            query=np.array([places[pair.query] for pair, _ in compared], dtype=np.int64),
            labels=np.array(labels, dtype=np.int64).reshape(-1, len(PLACES)),
            facts=[facts for _, facts in compared],
            grades=grades,
            unfinished=len(waiting),
        )

    def __len__(self) -> int:
        return len(self.query)

    @cached_property
    def everything(self) -> Mask:
        return np.ones(len(self), dtype=bool)

    def of_rater(self, rater: str) -> npt.NDArray[np.int64]:
        return self.labels[:, PLACES[rater]]

    def per_query(self, rows: Mask, values: npt.NDArray[np.float64] | None = None) -> Counts:
        """The number of these pairs of each query, or the sum of their values: (queries,)."""
        weights = None if values is None else values[rows]
        return np.bincount(self.query[rows], weights, minlength=len(self.queries))

    def tables(self, comparison: RaterComparison, rows: Mask) -> Counts:
        """The tables of these pairs by query: (queries, grades, grades)."""
        first, second = self.of_rater(comparison.rows), self.of_rater(comparison.columns)
        both = rows & (first >= 0) & (second >= 0)
        cells = (self.query[both] * self.grades + first[both]) * self.grades + second[both]
        size = len(self.queries) * self.grades**2
        return np.bincount(cells, minlength=size).reshape(-1, self.grades, self.grades)


def too_few(pairs: int, queries: int) -> str:
    """The reason why nothing is said of so few, or ""."""
    if pairs < FEWEST_PAIRS:
        return f"{pairs} of at least {FEWEST_PAIRS} pairs"
    if queries < FEWEST_QUERIES:
        return f"{queries} of at least {FEWEST_QUERIES} queries"
    return ""


Facts = Mapping[tuple[str, str], CandidateFacts]  # by query and docno
