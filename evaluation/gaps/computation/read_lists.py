"""What the bounds need of many systems' lists, in little memory. Pure."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from evaluation.gaps.computation.bounds import Ints, OpenList, QueryLabels
from evaluation.gaps.computation.queries import OpenQuery
from scoring.measures.judged_ranks import Qrels

Lists = Iterable[tuple[str, Sequence[str]]]  # (query, docnos best first)


class ReadLists:
    """The labelled queries, and of each system's lists the judged documents and the gap.

    The gap of a list is its documents without a label among the first `depth`; None means the whole
    list. `qrels` has the queries to read, with their labels. `settled` has, by query, documents
    without a label that cannot get one: they are in no gap.
    """

    def __init__(
        self,
        qrels: Qrels,
        highest: int,
        depth: int | None,
        settled: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        self.names = sorted(qrels)
        self.highest, self.depth = highest, depth
        self._place = {name: place for place, name in enumerate(self.names)}
        self._grades = [qrels[name] for name in self.names]
        self._labels = [
            QueryLabels(np.fromiter(grades.values(), np.int64, len(grades)), highest)
            for grades in self._grades
        ]
        self._settled = [(settled or {}).get(name, ()) for name in self.names]
        self._open: list[dict[str, int]] = [{} for _ in self.names]
        self._systems: dict[str, _SystemLists] = {}

    @property
    def systems(self) -> list[str]:
        return list(self._systems)

    def read(self, system: str, lists: Lists) -> None:
        """Read the lists of another system. Those of queries without labels are passed over."""
        self._systems[system] = kept = _SystemLists(len(self.names))
        for name, docnos in lists:
            place = self._place.get(name)
            if place is None:
                continue
            grades, settled, numbers = (
                self._grades[place],
                self._settled[place],
                self._open[place],
            )
            first = docnos[: self.depth]
            judged = [
                (rank, grades[docno])
                for rank, docno in enumerate(docnos, start=1)
                if docno in grades
            ]
            gap = [
                (rank, numbers.setdefault(docno, len(numbers)))
                for rank, docno in enumerate(first, start=1)
                if docno not in grades and docno not in settled
            ]
            kept.add(place, judged, gap, len(first))

    def listed(self, system: str) -> Ints:
        """By query, the documents of its list, down to the depth."""
        return self._systems[system].listed

    def unjudged(self, system: str) -> Ints:
        """By query, the size of the system's gap."""
        return self._systems[system].sizes

    def gap(self, system: str, place: int) -> set[int]:
        """The open documents of a query in the system's gap, by numbers that all systems share."""
        _, gap = self._systems[system].of(place)
        return set(gap[:, 1].tolist())

    def labels(self, place: int) -> QueryLabels:
        return self._labels[place]

    def query(self, place: int, gaps_of: Collection[str], papers: Mapping[str, str]) -> OpenQuery:
        """A query whose open documents are the gaps of these systems, with a view of all systems.

        `papers` has the query paper of each query.
        """
        numbers = sorted(set().union(*(self.gap(system, place) for system in gaps_of)))
        docnos = list(self._open[place])
        return OpenQuery(
            self.names[place],
            papers[self.names[place]],
            self._labels[place],
            [docnos[number] for number in numbers],
            {system: self.view(system, place, numbers) for system in self._systems},
        )

    def view(self, system: str, place: int, numbers: Sequence[int]) -> OpenList:
        """The system's list with these open documents, whose numbers ascend."""
        judged, gap = self._systems[system].of(place)
        ranks = np.zeros(len(numbers), dtype=np.int64)
        if len(gap) and len(numbers):
            wanted = np.array(numbers)
            at = np.minimum(np.searchsorted(wanted, gap[:, 1]), len(wanted) - 1)
            found = wanted[at] == gap[:, 1]
            ranks[at[found]] = gap[found, 0]
        return OpenList(judged[:, 0], judged[:, 1], ranks)


class _SystemLists:
    """Of each query of a system: (rank, grade) of the judged, (rank, number) of the gap."""

    def __init__(self, queries: int) -> None:
        self._values = array("i")
        self._starts = np.zeros((queries, 3), dtype=np.int64)
        self.listed: Ints = np.zeros(queries, dtype=np.int64)

    def add(
        self,
        place: int,
        judged: Sequence[tuple[int, int]],
        gap: Sequence[tuple[int, int]],
        listed: int,
    ) -> None:
        start = len(self._values)
        for row in (*judged, *gap):
            self._values.extend(row)
        middle = start + 2 * len(judged)
        self._starts[place] = start, middle, len(self._values)
        self.listed[place] = listed

    @property
    def sizes(self) -> Ints:
        sizes: Ints = (self._starts[:, 2] - self._starts[:, 1]) // 2
        return sizes

    def of(self, place: int) -> tuple[Ints, Ints]:
        start, middle, end = self._starts[place]
        values = np.array(self._values[start:end], dtype=np.int64).reshape(-1, 2)
        size = (middle - start) // 2
        return values[:size], values[size:]
