"""The judged documents of a system's lists, in columns over all queries. Pure.

A measure needs the ranks of the judged documents and the length of the list, and no other document.
So a list of 1,000 documents shrinks to the few that were judged, and numpy computes a measure for
all queries at once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.floating[Any]]
Qrels = Mapping[str, Mapping[str, int]]  # query to docno to grade


class JudgedDocuments:
    """The grades of all judged documents of the queries that are scored, as sorted columns.

    `queries[i]` has number i. `query` (shape: judged documents) holds these numbers, ascending, and
    `grade` the grades, descending within a query: the ideal ranking. `pool_sizes` has the number of
    documents in the judged pool of each query: all judged ones, unless labels were left out.
    """

    def __init__(self, qrels: Qrels, pool_sizes: Ints | None = None) -> None:
        self.queries = sorted(qrels)
        self.number = {name: number for number, name in enumerate(self.queries)}
        self.grades = [qrels[name] for name in self.queries]
        sizes = np.array([len(grades) for grades in self.grades], dtype=np.int64)
        numbers = np.repeat(np.arange(len(self.queries)), sizes)
        every_grade = np.fromiter(
            (grade for grades in self.grades for grade in grades.values()),
            dtype=np.int64,
            count=int(sizes.sum()),
        )
        order = np.lexsort((-every_grade, numbers))
        self.query: Ints = numbers[order]
        self.grade: Ints = every_grade[order]
        self.sizes: Ints = sizes
        self.pool_sizes: Ints = sizes if pool_sizes is None else pool_sizes

    @cached_property
    def ideal_rank(self) -> Ints:
        """The rank from 1 of each document in its query's ideal ranking."""
        starts = np.cumsum(self.sizes) - self.sizes
        return np.arange(len(self.query)) - np.repeat(starts, self.sizes) + 1

    def relevant(self, least: int) -> Ints:
        """The number of documents of each query with a grade of at least `least`."""
        return count(self.query[self.grade >= least], len(self.queries))

    def ranks_of(self, lists: Iterable[tuple[str, Sequence[str]]]) -> JudgedRanks:
        """The ranks of the judged documents in a system's lists: (query, docnos best first).

        Lists for queries without judgments are passed over.
        """
        query, rank, grade = array("q"), array("q"), array("q")
        lengths = np.zeros(len(self.queries), dtype=np.int64)
        has_list = np.zeros(len(self.queries), dtype=bool)
        for name, docnos in lists:
            number = self.number.get(name)
            if number is None:
                continue
            lengths[number], has_list[number] = len(docnos), True
            grades = self.grades[number]
            before = len(rank)
            for place, docno in enumerate(docnos, start=1):
                if docno in grades:
                    rank.append(place)
                    grade.append(grades[docno])
            query.extend([number] * (len(rank) - before))
        numbers = np.frombuffer(query, dtype=np.int64) if query else np.zeros(0, np.int64)
        order = np.argsort(numbers, kind="stable")
        return JudgedRanks(
            judged=self,
            query=numbers[order],
            rank=(np.frombuffer(rank, np.int64) if rank else numbers)[order],
            grade=(np.frombuffer(grade, np.int64) if grade else numbers)[order],
            lengths=lengths,
            has_list=has_list,
        )


@dataclass(frozen=True, eq=False)
class JudgedRanks:
    """A system's judged documents: `query`, `rank` (from 1) and `grade` have one entry for each.

    They are sorted by query, then rank. `lengths` and `has_list` have one entry for each query.
    """

    judged: JudgedDocuments
    query: Ints
    rank: Ints
    grade: Ints
    lengths: Ints
    has_list: npt.NDArray[np.bool_]

    @property
    def queries(self) -> int:
        return len(self.judged.queries)

    def sum(self, chosen: npt.NDArray[np.bool_], weights: Floats | None = None) -> Floats:
        """The sum of the weights of each query's chosen documents; their number without weights."""
        chosen_weights = None if weights is None else weights[chosen]
        return np.bincount(self.query[chosen], chosen_weights, self.queries).astype(np.float64)

    def running(self, chosen: npt.NDArray[np.bool_]) -> Ints:
        """For each document, how many of its query's chosen ones have this rank or a better one."""
        total = np.cumsum(chosen)
        starts = np.searchsorted(self.query, np.arange(self.queries))
        before = np.concatenate(([0], total))[starts]
        return total - before[self.query]

    def condensed(self) -> JudgedRanks:
        """The lists without their unjudged documents (Sakai, SIGIR 2007)."""
        everything = np.ones(len(self.query), dtype=bool)
        return JudgedRanks(
            judged=self.judged,
            query=self.query,
            rank=self.running(everything),
            grade=self.grade,
            lengths=self.sum(everything).astype(np.int64),
            has_list=self.has_list,
        )

    @property
    def unjudged(self) -> Ints:
        """For each query, the documents of its list without a judgment."""
        return self.lengths - self._found

    @property
    def lacking(self) -> Ints:
        """For each query with a list, the judged documents that its list does not have."""
        return np.where(self.has_list, self.judged.sizes - self._found, 0)

    @property
    def _found(self) -> Ints:
        return count(self.query, self.queries)


Computation = Callable[[JudgedRanks], Floats]


def count(numbers: Ints, queries: int) -> Ints:
    return np.bincount(numbers, minlength=queries)
