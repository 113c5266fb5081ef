"""Figures as numbers: scales, marks and panels. Pure; templates/web/_figure.html draws them.

A figure consists of panels. A panel is at most as wide as a phone, so that its text keeps its size
there; on a wider screen several panels stand side by side. The classes of the marks get their
colours from static/css/admin.css on a page, and from templates/web/figure_file.svg in a file.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

PANEL_WIDTH = 320
CHARACTER = 7.4  # the mean width of a character of 12 px text in the widest of our fonts
FILE_WIDTH = 1048
GAP = 24
MOST_TABLE_ROWS = 200  # below a figure; a page of 40,000 rows had 5 MB
LINE = 18


class Stroke(NamedTuple):
    """A line from (x1, y1) to (x2, y2)."""

    css: str
    x1: float
    y1: float
    x2: float
    y2: float


class Bar(NamedTuple):
    """A rectangle; `title` is shown for a pointer that rests on it.

    `fill` is a colour for a mark without a class. Only files have such marks.
    """

    css: str
    x: float
    y: float
    width: float
    height: float
    title: str = ""
    fill: str = ""


class Dot(NamedTuple):
    css: str
    x: float
    y: float
    title: str = ""


class TextLine(NamedTuple):
    """A line of text; `anchor` is "start", "middle" or "end"."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    css: str = ""


class RowLink(NamedTuple):
    """A row of a panel that leads to the page `url`; `name` says what the row has.

    Files have no links. A page draws them for a pointer only, because a table beside the figure has
    the same links for a keyboard.
    """

    y: float
    height: float
    url: str
    name: str


@dataclass(frozen=True)
class Panel:
    """A drawing of `width` by `height`; `finding` says its numbers to those who cannot see it."""

    finding: str
    height: float
    width: float = PANEL_WIDTH
    strokes: Sequence[Stroke] = ()
    bars: Sequence[Bar] = ()
    dots: Sequence[Dot] = ()
    texts: Sequence[TextLine] = ()
    address: str = ""  # of the page that the panel leads to
    links: Sequence[RowLink] = ()


class Key(NamedTuple):
    """An entry of the legend: a mark's class and what it stands for."""

    css: str
    label: str
    is_dot: bool = False


@dataclass(frozen=True)
class Figure:
    """Panels with the same data as a table; `name` is part of the addresses of the files.

    `same_table` is the id of a table of the page that has these numbers. The figure then links to
    it and has no table of its own. `urls` are the pages of the first cells, by row. The columns
    `in_percent` are fractions: a page shows them in percent, and the CSV file has them as they are.
    """

    name: str
    title: str
    note: str
    panels: Sequence[Panel]
    head: Sequence[str]
    rows: Sequence[Sequence[str | int | float | None]]
    keys: Sequence[Key] = ()
    same_table: str = ""
    urls: Sequence[str] = ()
    in_percent: Collection[str] = ()

    @property
    def table(self) -> list[list[TableCell]]:
        """The first rows as a page shows them; the CSV file has all, at full precision."""
        shown = [self._table_row(row) for row in self.rows[:MOST_TABLE_ROWS]]
        for row, url in zip(shown, self.urls, strict=False):
            row[0] = row[0]._replace(url=url)
        return shown

    def _table_row(self, row: Sequence[str | int | float | None]) -> list[TableCell]:
        return [
            TableCell(percent_text(cell), is_number=True)
            if name in self.in_percent and isinstance(cell, float)
            else _table_cell(cell)
            for name, cell in zip(self.head, row, strict=True)
        ]

    @property
    def rows_in_file_only(self) -> int:
        return max(0, len(self.rows) - MOST_TABLE_ROWS)

    @property
    def columns(self) -> list[TableCell]:
        """The head of the table. A column of numbers has its name on the right, too."""
        first = [_table_cell(cell) for cell in self.rows[0]] if self.rows else []
        return [
            # Only the first letter: a head may have the name of a system.
            TableCell(name[:1].upper() + name[1:], cell.is_number)
            for name, cell in zip(self.head, first, strict=False)
        ]


class TableCell(NamedTuple):
    text: str
    is_number: bool
    url: str = ""


def _table_cell(cell: str | int | float | None) -> TableCell:
    if isinstance(cell, str):
        return TableCell(cell, is_number=False)
    return TableCell("–" if cell is None else number_text(cell), is_number=True)


# Scales


class PixelScale(NamedTuple):
    """Values from `low` to `high` on pixels from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.0
        return pixels(self.start + share * (self.end - self.start))


def pixels(number: float) -> float:
    """To a tenth of a pixel, which is finer than a screen and keeps the file small."""
    return round(number, 1)


def ticks(low: float, high: float, intervals: int = 4) -> list[float]:
    """Round numbers from `low` to `high`: multiples of 1, 2, 2.5 or 5 times a power of ten."""
    if high <= low:
        return [low]
    rough = (high - low) / intervals
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * times for times in (1, 2, 2.5, 5, 10) if power * times >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(step * number, 9) for number in range(first, last + 1)]


def number_text(value: float) -> str:
    """As on an axis: "0.25", "−1", "1,200"."""
    return f"{round(value, 3):,.10g}".replace("-", "−")


def percent_text(fraction: float) -> str:
    """A fraction in percent as the leaderboard has it: "66.70" for 0.667."""
    return f"{100 * fraction:.2f}".replace("-", "−")


def clipped(text: str, width: float) -> str:
    """As much of the text as fits into `width` pixels."""
    most = int(width / CHARACTER)
    return text if len(text) <= most else f"{text[: most - 1]}…"


# The sheet of a file


class Placed(NamedTuple):
    """A panel with its upper left corner on a sheet."""

    x: float
    y: float
    panel: Panel


class PlacedKey(NamedTuple):
    """An entry of the legend: its mark at (x, y), and its label."""

    x: float
    y: float
    label: TextLine
    key: Key


@dataclass(frozen=True)
class Sheet:
    """A figure as a file: title, lines of the note, legend, and below them the panels."""

    figure: Figure
    width: float
    height: float
    note: Sequence[TextLine]
    keys: Sequence[PlacedKey]
    panels: Sequence[Placed]

    @property
    def description(self) -> str:
        return " ".join(panel.finding for panel in self.figure.panels)


def sheet_of(figure: Figure) -> Sheet:
    """The panels in rows, like words on a page that is as wide as three of them."""
    width = _sheet_width(figure.panels)
    lines = textwrap.wrap(figure.note, int((width - 2 * GAP) / CHARACTER))
    top: float = GAP + 2 * LINE
    note = [TextLine(GAP, top + LINE * number, line) for number, line in enumerate(lines)]
    top += LINE * len(lines)
    keys = _placed_keys(figure.keys, top, width)
    top = (keys[-1].label.y + LINE if keys else top) + LINE / 2
    panels, bottom = _placed_panels(figure.panels, top, width)
    return Sheet(figure, width, bottom + GAP, note, keys, panels)


def _sheet_width(panels: Iterable[Panel]) -> float:
    widths = [panel.width for panel in panels]
    in_a_row = sum(widths) + GAP * (len(widths) - 1)
    return 2 * GAP + max(PANEL_WIDTH, max(widths, default=0), min(FILE_WIDTH, in_a_row))


def _placed_keys(keys: Iterable[Key], top: float, width: float) -> list[PlacedKey]:
    placed: list[PlacedKey] = []
    x, y = float(GAP), top
    for key in keys:
        length = 18 + CHARACTER * len(key.label)
        if x > GAP and x + length > width - GAP:
            x, y = GAP, y + LINE
        label = TextLine(pixels(x + 18), y, key.label)
        placed.append(PlacedKey(pixels(x), pixels(y - 10), label, key))
        x += length + LINE
    return placed


def _placed_panels(panels: Iterable[Panel], top: float, width: float) -> tuple[list[Placed], float]:
    placed: list[Placed] = []
    x, y, bottom = float(GAP), top, top
    for panel in panels:
        if x > GAP and x + panel.width > width - GAP + 0.1:
            x, y = GAP, bottom + GAP
        placed.append(Placed(x, y, panel))
        x += panel.width + GAP
        bottom = max(bottom, y + panel.height)
    return placed, bottom
