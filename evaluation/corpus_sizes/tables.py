"""The tables and files of the report, made from its payload. Nothing here computes measures. Pure.

MDCR's tables have the mean over draws. The deviation is that of a sample (n − 1), and undefined for
one draw.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, NamedTuple

from evaluation.corpus_sizes.sub_corpora import WHOLE
from web.words import count_noun

Payload = Mapping[str, Any]


class DrawMean(NamedTuple):
    """A mean over draws and the standard deviation over them; None for a single draw."""

    mean: float
    deviation: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> DrawMean:
        return cls(fmean(values), stdev(values) if len(values) > 1 else None)


class SizeLine(NamedTuple):
    """A row of a table: for each retriever, a mean over draws for each measure.

    `size` is the size asked for. A row of means over fields has no documents.
    """

    scope: str
    size: int
    documents: int | None
    queries: int
    cells: Sequence[Sequence[DrawMean]]

    @property
    def is_short(self) -> bool:
        """True if there are fewer documents to choose from than the size."""
        return self.documents is not None and self.documents < self.size

    @property
    def is_long(self) -> bool:
        """True if the queries cite more documents than the size."""
        return self.documents is not None and self.documents > self.size

    @property
    def flat_cells(self) -> list[DrawMean]:
        return [cell for cells in self.cells for cell in cells]


def field_lines(payload: Payload) -> list[SizeLine]:
    """A row for each field, and the mean over fields as the last one."""
    lines = [_line(payload, scope, size) for scope, size in _rows(payload) if scope != WHOLE]
    if not lines:
        return []
    per_draw = _means_over_fields(payload)
    cells = [
        [DrawMean.of([draw[name][measure] for draw in per_draw]) for measure in payload["measures"]]
        for name in payload["retrievers"]
    ]
    queries = sum(line.queries for line in lines)
    return [*lines, SizeLine("", payload["field_size"], None, queries, cells)]


def size_lines(payload: Payload) -> list[SizeLine]:
    """A row for each size of the whole, ascending."""
    return [_line(payload, scope, size) for scope, size in _rows(payload) if scope == WHOLE]


def _rows(payload: Payload) -> list[tuple[str, int]]:
    return list(dict.fromkeys((row["scope"], row["size"]) for row in payload["corpora"]))


def _line(payload: Payload, scope: str, size: int) -> SizeLine:
    draws = [row for row in payload["corpora"] if (row["scope"], row["size"]) == (scope, size)]
    cells = [
        [
            DrawMean.of([row["means"][name][measure] for row in draws])
            for measure in payload["measures"]
        ]
        for name in payload["retrievers"]
    ]
    return SizeLine(scope, size, draws[0]["documents"], payload["scopes"][scope]["queries"], cells)


def _means_over_fields(payload: Payload) -> list[dict[str, dict[str, float]]]:
    """For each draw, the mean over fields by retriever and measure."""
    rows = [row for row in payload["corpora"] if row["scope"] != WHOLE]
    return [
        {
            name: {
                measure: fmean(row["means"][name][measure] for row in rows if row["draw"] == draw)
                for measure in payload["measures"]
            }
            for name in payload["retrievers"]
        }
        for draw in range(1, payload["draws"] + 1)
    ]


def csv_rows(payload: Payload) -> Iterator[Sequence[object]]:
    """The head, then every draw of every sub-corpus with each retriever."""
    measures = payload["measures"]
    yield ("field", "size", "documents", "draw", "queries", "retriever", *measures)
    for row in payload["corpora"]:
        queries = payload["scopes"][row["scope"]]["queries"]
        for name in payload["retrievers"]:
            values = [row["means"][name][measure] for measure in measures]
            place = (row["scope"], row["size"], row["documents"], row["draw"])
            yield (*place, queries, name, *values)


def words_left_out(payload: Payload) -> list[str]:
    """The query papers that are in no mean, by the reason."""
    nouns = {
        "topics": ("topic", "topics"),
        "without_text": ("without text", "without text"),
        "without_citations": ("that cites none", "that cite none"),
    }
    left_out = payload["left_out"]
    return [count_noun(left_out[key], *noun) for key, noun in nouns.items() if left_out.get(key)]
