"""The lists of many systems as the bounds need them, in little memory. Pure."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from evaluation.gaps.computation.bounds import (
    BoundedMeasure,
    Ints,
    OpenList,
    QueryLabels,
    ScoreRange,
    score_range,
)
from evaluation.gaps.computation.queries import OpenQuery
from scoring.measures.judged_ranks import Qrels

Lists = Iterable[tuple[str, Sequence[str]]]  # (query, docnos best first)


class ReadLists:
    """The labelled queries, their open documents, and the lists of systems.

    The gap of a list is its documents without a label among the first `depth`; None means the whole
    list. `qrels` has the queries to read, with their labels. `settled` has, by query, documents
    without a label that cannot get one: they are in no gap.

    First `open_gap` reads the systems whose gaps are judged, then `read` all systems: a document of
    one system's gap can be further down in the list of another.
    """

    def __init__(
        self,
        qrels: Qrels,
        highest: int,
        depth: int | None,
        settled: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        self.names = sorted(qrels)
        self.depth = depth
        self._place = {name: place for place, name in enumerate(self.names)}
        self._grades = [qrels[name] for name in self.names]
        self._labels = [
            QueryLabels(np.fromiter(grades.values(), np.int64, len(grades)), highest)
            for grades in self._grades
        ]
        self._settled = [(settled or {}).get(name, ()) for name in self.names]
        self._open: list[dict[str, int]] = [{} for _ in self.names]
        self._systems: dict[str, _SystemLists] = {}

    def open_gap(self, lists: Lists) -> None:
        """Make the documents of the gaps of these lists open."""
        for place, docnos in self._known(lists):
            grades, settled, numbers = (
                self._grades[place],
                self._settled[place],
                self._open[place],
            )
            for docno in docnos[: self.depth]:
                if docno not in grades and docno not in settled:
                    numbers.setdefault(docno, len(numbers))

    def read(self, system: str, lists: Lists) -> None:
        """Read the lists of a system. Those of queries without labels are passed over."""
        self._systems[system] = kept = _SystemLists(len(self.names))
        for place, docnos in self._known(lists):
            grades, numbers = self._grades[place], self._open[place]
            judged = [
                (rank, grades[docno])
                for rank, docno in enumerate(docnos, start=1)
                if docno in grades
            ]
            found = [
                (rank, numbers[docno])
                for rank, docno in enumerate(docnos, start=1)
                if docno in numbers
            ]
            kept.add(place, judged, found, len(docnos[: self.depth]))

    def _known(self, lists: Lists) -> Iterable[tuple[int, Sequence[str]]]:
        for name, docnos in lists:
            place = self._place.get(name)
            if place is not None:
                yield place, docnos

    @property
    def systems(self) -> list[str]:
        return list(self._systems)

    def labels(self, place: int) -> QueryLabels:
        return self._labels[place]

    def open_count(self, place: int) -> int:
        """The open documents of a query."""
        return len(self._open[place])

    def listed(self, system: str) -> int:
        """The documents of the system's lists, down to the depth."""
        return int(self._systems[system].listed.sum())

    def view(self, system: str, place: int) -> OpenList:
        judged, found = self._systems[system].of(place)
        ranks = np.zeros(len(self._open[place]), dtype=np.int64)
        ranks[found[:, 1]] = found[:, 0]
        return OpenList(judged[:, 0], judged[:, 1], ranks)

    def in_gap(self, view: OpenList) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """For each open document, if it is in the gap of this list."""
        return (view.open > 0) & (view.open <= (self.depth or np.inf))

    def own_range(self, measure: BoundedMeasure, system: str, place: int) -> ScoreRange | None:
        """The bounds of the system's value on a query if its own gap alone is judged."""
        view = self.view(system, place)
        mine = view.open[self.in_gap(view)]
        return score_range(measure, self._labels[place], view._replace(open=mine))

    def gap_sizes(self, system: str) -> Ints:
        """By query, the open documents in the system's gap: all of it, if it was opened."""
        sizes = [self.in_gap(self.view(system, place)).sum() for place in range(len(self.names))]
        return np.array(sizes, dtype=np.int64)

    def query(self, place: int, papers: Mapping[str, str]) -> OpenQuery:
        """A query with a view of all systems. `papers` has the query paper of each query."""
        return OpenQuery(
            self.names[place],
            papers[self.names[place]],
            self._labels[place],
            list(self._open[place]),
            {system: self.view(system, place) for system in self._systems},
        )


class _SystemLists:
    """Of each query of a system: (rank, grade) of judged documents, (rank, number) of open ones."""

    def __init__(self, queries: int) -> None:
        self._values = array("i")
        self._starts = np.zeros((queries, 3), dtype=np.int64)
        self.listed: Ints = np.zeros(queries, dtype=np.int64)

    def add(
        self,
        place: int,
        judged: Sequence[tuple[int, int]],
        found: Sequence[tuple[int, int]],
        listed: int,
    ) -> None:
        start = len(self._values)
        for row in (*judged, *found):
            self._values.extend(row)
        self._starts[place] = start, start + 2 * len(judged), len(self._values)
        self.listed[place] = listed

    def of(self, place: int) -> tuple[Ints, Ints]:
        start, middle, end = self._starts[place]
        values = np.array(self._values[start:end], dtype=np.int64).reshape(-1, 2)
        size = (middle - start) // 2
        return values[:size], values[size:]
