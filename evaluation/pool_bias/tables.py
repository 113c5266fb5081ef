"""The tables of the page about pool bias and their files, made from a report. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from evaluation.pool_bias.computation.effects import SystemEffect
from evaluation.pool_bias.computation.leave_out import DRAWN, REDRAWN, UNIQUE
from web.tables.columns import Column, Table

Payload = Mapping[str, Any]

JUDGED_DEPTHS = ("10", "20", "100")
WAYS = {
    UNIQUE: "Drop what only it found",
    DRAWN: "Drop all that it drew",
    REDRAWN: "Draw the pools without it",
}


class LeftOutLine(NamedTuple):
    """A group of sources that is left out in one way; scores are of one measure.

    `most_changed` is the system whose score changes most, or None without systems.
    """

    name: str
    labels: int
    relevant: int
    lost: int
    tau: float | None
    undefined: str | None
    systems: Sequence[SystemEffect]
    documents: int | None
    new: int | None

    @property
    def tau_text(self) -> str:
        return "undefined" if self.tau is None else f"{self.tau:.3f}".replace("-", "−")

    @property
    def systems_by_change(self) -> list[SystemEffect]:
        """The largest change of the score first."""
        return sorted(self.systems, key=lambda row: (abs(row.change), row.system), reverse=True)

    @property
    def most_changed(self) -> SystemEffect | None:
        return next(iter(self.systems_by_change), None)

    @property
    def change_text(self) -> str:
        return _signed(self.most_changed.change) if self.most_changed else ""

    @property
    def largest_change(self) -> float:
        """Of a score, up or down."""
        return abs(self.most_changed.change) if self.most_changed else 0.0

    @property
    def most_ranks(self) -> int:
        """The most ranks that a system falls or rises."""
        return max((abs(row.rank_change) for row in self.systems), default=0)


class BiasLine(NamedTuple):
    """A system with its judged shares and the three values of a measure."""

    name: str
    kind: str
    judged: Sequence[float | None]
    standard: float
    condensed: float
    upper: float | None
    without_list: int
    leaves_pools: bool


def _signed(value: float) -> str:
    """In percent points."""
    return f"{100 * value:+.2f}".replace("-", "−")


def ways_of(payload: Payload) -> dict[str, str]:
    """The ways to leave a source out by name, without drawing again if no pool can be drawn."""
    return {way: label for way, label in WAYS.items() if way != REDRAWN or payload["redrawn"]}


def left_out_lines(payload: Payload, measure: str, way: str) -> list[LeftOutLine]:
    """Every source, then the group; empty if no pool can be drawn again, for that way."""
    return [
        LeftOutLine(
            name=" + ".join(row["sources"]),
            **{name: row[way][name] for name in ("labels", "relevant", "lost")},
            tau=row[way]["measures"][measure]["tau"],
            undefined=row[way]["measures"][measure]["undefined"],
            systems=[SystemEffect(**each) for each in row[way]["measures"][measure]["systems"]],
            documents=row[way].get("documents"),
            new=row[way].get("new"),
        )
        for row in payload["left_out"]
        if row[way] is not None
    ]


def system_lines(payload: Payload, measure: str) -> list[BiasLine]:
    """The systems, the highest standard value first."""
    lines = [
        BiasLine(
            name=row["system"],
            kind=row["kind"],
            judged=[row["judged"][depth] for depth in JUDGED_DEPTHS],
            without_list=row["without_list"],
            leaves_pools=row["leaves_pools"],
            **row["measures"][measure],
        )
        for row in payload["systems"]
    ]
    return sorted(lines, key=lambda line: (-line.standard, line.name))


class GrowthLine(NamedTuple):
    """A query's pool: how many relevant documents it has, and how many ten more would bring."""

    query: str
    size: int
    relevant: int
    relevant_at: Sequence[int]
    forced: int
    in_window: int
    window: int
    expected: Mapping[str, float] | None

    @property
    def last(self) -> int | None:
        """The place of the last relevant document."""
        return max(self.relevant_at, default=None)

    @property
    def found(self) -> list[int]:
        """At [n - 1], the relevant documents among the first n."""
        is_relevant = set(self.relevant_at)
        return list(accumulate(place in is_relevant for place in range(1, self.size + 1)))


def growth_lines(payload: Payload) -> list[GrowthLine]:
    """The queries, the most expected first; those without an expected number last."""
    lines = [
        GrowthLine(**{name: row[name] for name in GrowthLine._fields})
        for row in payload["growth"]["queries"]
    ]
    return sorted(
        lines,
        key=lambda line: (-line.expected["value"] if line.expected else math.inf, line.query),
    )


def _of_most(field: str) -> Callable[[LeftOutLine], object]:
    """A value of the system that changes most; None without systems."""
    return lambda line: getattr(line.most_changed, field) if line.most_changed else None


def _of_expected(name: str) -> Callable[[GrowthLine], object]:
    return lambda line: line.expected[name] if line.expected else None


def _judged(place: int) -> Callable[[BiasLine], object]:
    return lambda line: line.judged[place]


SOURCES: Table[Payload] = Table(
    "pool-bias-sources",
    [
        Column(key, key, {key: itemgetter(key)})
        for key in ("source", "drawn", "judged", "relevant", "alone")
    ],
)
LEFT_OUT: Table[LeftOutLine] = Table(
    "pool-bias-left-out",
    [
        Column("left_out", "Left out", {"left_out": attrgetter("name")}),
        *(
            Column(key, key, {key: attrgetter(key)})
            for key in ("documents", "new", "labels", "relevant", "lost", "tau", "undefined")
        ),
        *(
            Column(key, key, {key: _of_most(key)})
            for key in ("system", "score", "reduced_score", "change", "reduced_condensed")
        ),
        Column("most_ranks", "Most ranks", {"most_ranks": attrgetter("most_ranks")}),
    ],
)
UNJUDGED: Table[BiasLine] = Table(
    "pool-bias-systems",
    [
        Column("system", "System", {"system": attrgetter("name"), "kind": attrgetter("kind")}),
        Column(
            "judged",
            "Judged",
            {f"judged_{depth}": _judged(place) for place, depth in enumerate(JUDGED_DEPTHS)},
        ),
        *(
            Column(key, key, {key: attrgetter(key)})
            for key in ("standard", "condensed", "upper", "without_list", "leaves_pools")
        ),
    ],
)
GROWTH: Table[GrowthLine] = Table(
    "pool-bias-growth",
    [
        *(
            Column(key, key, {key: attrgetter(key)})
            for key in ("query", "size", "relevant", "forced", "last", "in_window", "window")
        ),
        Column(
            "expected",
            "Next ten",
            {
                "expected": _of_expected("value"),
                "expected_low": _of_expected("low"),
                "expected_high": _of_expected("high"),
            },
        ),
    ],
)
