"""The labels and the list of queries of a release as records again, checked. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from bundle.names import (
    QRELS,
    QUERY_TABLE,
)
from bundle.reading.opened import (
    BundleError,
    OpenedBundle,
    read_lines,
)
from bundle.records import Label


class TableQuery(NamedTuple):
    """A query in the list of queries."""

    query: str
    paper: str
    facet: str


def read_query_table(bundle: OpenedBundle) -> Iterator[tuple[int, TableQuery]]:
    """Line and query of the list of queries."""
    lines = read_lines(bundle, QUERY_TABLE)
    next(lines, None)  # the header
    for number, line in lines:
        query, paper, facet, *_ = (*line.split("\t"), "", "")
        yield number, TableQuery(query, paper, facet)


def read_qrels(bundle: OpenedBundle, name: str = QRELS) -> Iterator[tuple[int, Label]]:
    """Line and label of a TREC qrels file, by query, then docno. Their facet is empty."""
    for number, line in read_lines(bundle, name):
        cells = line.split(" ")
        if len(cells) != 4 or not (cells[3].isascii() and cells[3].isdigit()):
            raise BundleError(
                name, number, f"must be <query id> 0 <docno> <grade>, got {line[:80]!r}."
            )
        yield number, Label(cells[0], "", cells[2], int(cells[3][:9]))
