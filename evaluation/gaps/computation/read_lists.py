"""The lists of many systems as the bounds need them, in little memory. Pure."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from evaluation.gaps.computation.bounds import (
    NOT_OPEN,
    BoundedMeasure,
    Flags,
    Ints,
    OpenLists,
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

    A document has a column of its query: first the judged ones in the order of their labels, then
    the open ones. Of each query, the ranks of all systems' documents are kept together.
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
        self._labels = [
            QueryLabels(np.array([*qrels[name].values()], dtype=np.int64), highest)
            for name in self.names
        ]
        self._settled = [(settled or {}).get(name, ()) for name in self.names]
        self._columns = [
            {docno: column for column, docno in enumerate(qrels[name])} for name in self.names
        ]
        self._ranks = [array("i") for _ in self.names]  # system * columns + column, rank, …
        self._listed: dict[str, int] = {}

    def open_gap(self, lists: Lists) -> None:
        """Make the documents of the gaps of these lists open."""
        for place, docnos in self._known(lists):
            columns, settled = self._columns[place], self._settled[place]
            for docno in docnos[: self.depth]:
                if docno not in columns and docno not in settled:
                    columns[docno] = len(columns)

    def read(self, system: str, lists: Lists) -> None:
        """Read the lists of a system. Those of queries without labels are passed over."""
        number, listed = len(self._listed), 0
        for place, docnos in self._known(lists):
            columns = self._columns[place]
            start = number * len(columns)
            for rank, docno in enumerate(docnos, start=1):
                if docno in columns:
                    self._ranks[place].extend((start + columns[docno], rank))
            listed += len(docnos[: self.depth])
        self._listed[system] = listed

    def _known(self, lists: Lists) -> Iterable[tuple[int, Sequence[str]]]:
        for name, docnos in lists:
            place = self._place.get(name)
            if place is not None:
                yield place, docnos

    @property
    def systems(self) -> list[str]:
        return list(self._listed)

    def labels(self, place: int) -> QueryLabels:
        return self._labels[place]

    def open_count(self, place: int) -> int:
        """The open documents of a query."""
        return len(self._columns[place]) - len(self._labels[place].judged)

    def listed(self, system: str) -> int:
        """The documents of the system's lists, down to the depth."""
        return self._listed[system]

    def lists(self, place: int) -> OpenLists:
        """The lists of all systems for a query, in the order of `systems`."""
        columns = len(self._columns[place])
        ranks = np.zeros(len(self._listed) * columns, dtype=np.int64)
        cells = np.array(self._ranks[place], dtype=np.int64).reshape(-1, 2)
        ranks[cells[:, 0]] = cells[:, 1]
        judged, opened = np.hsplit(
            ranks.reshape(len(self._listed), columns), [len(self._labels[place].judged)]
        )
        return OpenLists(judged, opened)

    def in_gap(self, lists: OpenLists) -> Flags:
        """For each list and open document, if it is in the gap of the list."""
        return (lists.open > 0) & (lists.open <= (self.depth or np.inf))

    def own_gaps(self, lists: OpenLists) -> OpenLists:
        """The lists with only the documents of each own gap open."""
        mine = self.in_gap(lists)
        opened = np.sort(np.where(mine, lists.open, NOT_OPEN), axis=1)[:, ::-1]
        return lists._replace(open=opened[:, : int(mine.sum(axis=1).max(initial=0))])

    def own_range(self, measure: BoundedMeasure, system: str, place: int) -> ScoreRange | None:
        """The bounds of the system's value on a query if its own gap alone is judged."""
        number = self.systems.index(system)
        own = self.own_gaps(self.lists(place).of(slice(number, number + 1)))
        return score_range(measure, self._labels[place], own)

    def gap_sizes(self) -> dict[str, Ints]:
        """By system and query, the open documents in the system's gap: all of it, if opened."""
        sizes = np.zeros((len(self._listed), len(self.names)), dtype=np.int64)
        for place in range(len(self.names)):
            sizes[:, place] = self.in_gap(self.lists(place)).sum(axis=1)
        return dict(zip(self.systems, sizes, strict=True))

    def query(self, place: int, papers: Mapping[str, str], systems: Collection[str]) -> OpenQuery:
        """A query with the lists of these systems. `papers` has the paper of each query."""
        lists = self.lists(place)
        return OpenQuery(
            self.names[place],
            papers[self.names[place]],
            self._labels[place],
            list(self._columns[place])[len(self._labels[place].judged) :],
            {
                system: lists.of(slice(number, number + 1))
                for number, system in enumerate(self._listed)
                if system in systems
            },
        )
