"""The tables of the page about gaps, from a stored report. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from web.tables.columns import Column, Table

Payload = Mapping[str, Any]


class GapLine(NamedTuple):
    """A system by one measure on the queries of a facet. Scores are fractions, None if undefined.

    `low` and `high` are its bounds if its own gap is judged, `joint_low` and `joint_high` if all
    gaps of the report are. The ranks are for the latter. `unjudged` is None for a system whose gap
    is not in the report.
    """

    name: str
    listed: int
    unjudged: int | None
    value: float | None
    low: float | None
    high: float | None
    joint_low: float | None
    joint_high: float | None
    best: int
    rank: int
    worst: int

    @classmethod
    def of(cls, row: Mapping[str, Any], facet: str, measure: str) -> GapLine:
        score = row["scores"][facet][measure]
        return cls(
            row["system"],
            row["listed"],
            row["unjudged"],
            *(score[name] for name in ("value", "low", "high")),
            *score["joint"],
            *score["rank"],
        )

    @property
    def is_place_open(self) -> bool:
        return self.best != self.worst


class OrderLine(NamedTuple):
    """Two systems of which either can be better, the better one first; differences of fractions."""

    first: str
    second: str
    low: float | None
    value: float | None
    high: float | None
    is_exact: bool


class QueryLine(NamedTuple):
    """A query: the size of each chosen system's gap, in the order of the systems."""

    name: str
    unjudged: Sequence[int]

    @property
    def total(self) -> int:
        return sum(self.unjudged)


def gap_lines(payload: Payload, facet: str, measure: str) -> list[GapLine]:
    """The best rank first; equal ones by name."""
    lines = [GapLine.of(row, facet, measure) for row in payload["systems"]]
    return sorted(lines, key=lambda line: (line.rank, line.name))


def order_lines(payload: Payload, measure: str) -> list[OrderLine]:
    return [OrderLine(**row) for row in payload["orders"][measure]]


def query_lines(payload: Payload, systems: Sequence[str]) -> list[QueryLine]:
    """The queries with a gap of these systems, the largest first."""
    sizes = zip(*(payload["by_query"][system] for system in systems), strict=True)
    lines = [QueryLine(*row) for row in zip(payload["query_names"], sizes, strict=True)]
    found = [line for line in lines if line.total]
    return sorted(found, key=lambda line: (-line.total, line.name))


SYSTEMS: Table[GapLine] = Table(
    "gaps-systems",
    [
        Column(name, name, {name if name != "name" else "system": attrgetter(name)})
        for name in GapLine._fields
    ],
)
ORDERS: Table[OrderLine] = Table(
    "gaps-orders", [Column(name, name, {name: attrgetter(name)}) for name in OrderLine._fields]
)
