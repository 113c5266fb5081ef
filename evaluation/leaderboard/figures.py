"""The figure of the leaderboard: means with intervals of all systems, a panel for each facet."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evaluation.leaderboard.rows import LeaderboardLine
from web.figure_panels import Interval, gutter_for, intervals
from web.figures import Figure
from web.words import count_noun, listed

MOST_ROWS = 40
MOST_PANELS = 3


class BoardPart(NamedTuple):
    """The lines of a facet, which the caption names."""

    caption: str
    lines: Sequence[LeaderboardLine]


def leaderboard_figure(
    parts: Sequence[BoardPart], measure: str, addresses: Mapping[str, str], *, same_table: str = ""
) -> Figure | None:
    """None without a value. Every panel has the systems in the order of the first part.

    `addresses` are those of the pages of systems, by name.
    """
    order = [line.name for line in parts[0].lines if line.row.measures.get(measure) is not None]
    if not order:
        return None
    shown, parts = order[:MOST_ROWS], parts[:MOST_PANELS]
    by_part = [_rows(part, measure, shown, addresses) for part in parts]
    numbers = [
        number
        for rows in by_part
        for row in rows
        for number in (row.low, row.value, row.high)
        if not math.isnan(number)
    ]
    low, high, gutter = min(numbers), max(numbers), gutter_for(shown)
    panels = [
        intervals(part.caption, _finding(rows, measure), rows, low, high, gutter)
        for part, rows in zip(parts, by_part, strict=True)
    ]
    more = f" The first {MOST_ROWS} of {len(order):,} systems." if len(order) > MOST_ROWS else ""
    return Figure(
        name="leaderboard",
        title=f"Mean {measure}",
        note=f"A dot is the mean over the queries, a line its 95 % interval, in percent.{more}",
        panels=panels,
        head=(
            "system",
            *(f"{part.caption}: {each}" for part in parts for each in ("mean", "low", "high")),
        ),
        rows=[
            (name, *(number for rows in by_part for number in _row_of(name, rows)))
            for name in shown
        ],
        same_table=same_table,
    )


def finding_of(lines: Sequence[LeaderboardLine], measure: str) -> str:
    """The finding of the figure in words."""
    names = [line.name for line in lines]
    return _finding(_rows(BoardPart("", lines), measure, names, {}), measure)


def _rows(
    part: BoardPart, measure: str, names: Sequence[str], addresses: Mapping[str, str]
) -> list[Interval]:
    """In the order of the names; a system without a value under this facet has an empty row."""
    lines = {line.name: line for line in part.lines}
    return [_interval(name, lines.get(name), measure, addresses.get(name, "")) for name in names]


def _interval(name: str, line: LeaderboardLine | None, measure: str, url: str) -> Interval:
    value = line.row.measures.get(measure) if line else None
    low, high = (line.row.intervals.get(measure) if line else None) or (None, None)
    return Interval(name, _percent(low), _percent(value), _percent(high), url=url)


def _percent(value: float | None) -> float:
    return math.nan if value is None else 100 * value


def _row_of(name: str, rows: Sequence[Interval]) -> list[float | None]:
    """As a file has it: empty where a value is undefined."""
    row = next(row for row in rows if row.name == name)
    return [None if math.isnan(each) else each for each in (row.value, row.low, row.high)]


def _finding(rows: Sequence[Interval], measure: str) -> str:
    valued = [row for row in rows if not math.isnan(row.value)]
    if not valued:
        return f"No system has a value of {measure}."
    highest = max(row.value for row in valued)
    first = [row for row in valued if row.value == highest]
    names = listed([row.name for row in first], 3)
    have = "has" if len(first) == 1 else "have"
    sentence = f"{names} {have} the highest mean {measure}, {highest:.2f}."
    low, others = first[0].low, [row for row in valued if row.value < highest]
    if math.isnan(low) or not others:
        return sentence
    overlapping = sum(row.high >= low for row in others)
    return (
        f"{sentence} Of the intervals of {count_noun(len(others), 'other system')}, "
        f"{overlapping:,} {'overlaps' if overlapping == 1 else 'overlap'} with that interval."
    )
