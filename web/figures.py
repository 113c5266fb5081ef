"""Four kinds of figure, drawn as SVG by templates: dots with intervals, bars, a heat table, lines.

Places along the x axis are percentages and heights are pixels, so a figure fills its card at every width while
its text keeps its size. A figure is a small object that a view puts into the context:

    {% figure rho %}

A row whose value is None is drawn as a line of words: nothing is dropped in silence.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

ROW = 26  # pixels
LABEL = 30.0  # percent of the width before the plot begins
RIGHT = 97.0
PLOT_HEIGHT = 260  # pixels, of lines
NUMBERS = ("value", "low", "high", "after")  # of a row


def ticks(low: float, high: float, number: int = 5) -> list[float]:
    """Round numbers that cover low to high, about `number` of them."""
    if high <= low:
        return [low]
    step = 10 ** math.floor(math.log10((high - low) / number))
    step *= next((m for m in (1, 2, 2.5, 5) if (high - low) / (step * m) <= number), 10)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 10) for i in range(first, math.floor(high / step + 1e-9) + 1)]


@dataclass
class Figure:
    """`name` is its key in addresses and file names; `axis` the title of the x axis, with the unit."""

    name: str
    title: str
    axis: str
    rows: Sequence[dict[str, Any]]
    low: float | None = None
    high: float | None = None
    note: str = ""
    template: str = field(default="", init=False)

    def __post_init__(self) -> None:
        values = [row[key] for row in self.rows for key in NUMBERS if row.get(key) is not None]
        if self.low is None:
            self.low = min([0.0, *values])
        if self.high is None:
            self.high = max([*values, self.low + 1e-9])

    def x(self, value: float) -> float:
        """Percent of the figure's width."""
        assert self.low is not None
        assert self.high is not None
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0
        return round(LABEL + (RIGHT - LABEL) * min(max(share, 0), 1), 3)

    @property
    def marks(self) -> list[dict[str, Any]]:
        assert self.low is not None
        assert self.high is not None
        return [{"x": self.x(tick), "label": f"{tick:g}".replace("-", "−")} for tick in ticks(self.low, self.high)]

    @property
    def height(self) -> int:
        return ROW * len(self.rows) + 48

    @property
    def axis_y(self) -> int:
        return ROW * len(self.rows) + 8

    @property
    def csv(self) -> list[list[object]]:
        keys = ["label", "value", *(key for key in NUMBERS[1:] if any(key in row for row in self.rows))]
        return [list(keys), *([row.get(key) for key in keys] for row in self.rows)]


@dataclass
class Dots(Figure):
    """Rows: label, value or None with `reason`, perhaps low and high (an interval), url, lead (highlighted).

    `after` is what the value became: a hollow dot, joined to the first one.
    """

    template: str = field(default="web/figures/dots.html", init=False)

    @property
    def drawn(self) -> list[dict[str, Any]]:
        drawn = []
        for number, row in enumerate(self.rows):
            place = {"y": ROW * number + 18, **row}
            for key in NUMBERS:
                if row.get(key) is not None:
                    place[f"x_{key}"] = self.x(row[key])
            drawn.append(place)
        return drawn


@dataclass
class Bars(Figure):
    """Rows: label, value, perhaps url, lead."""

    template: str = field(default="web/figures/bars.html", init=False)

    @property
    def drawn(self) -> list[dict[str, Any]]:
        start = self.x(0)
        drawn = []
        for number, row in enumerate(self.rows):
            end = self.x(row["value"] or 0)
            bar = {"y": ROW * number + 8, "x": min(start, end), "width": round(abs(end - start), 3)}
            drawn.append(bar | {"text_x": max(start, end), "text_y": ROW * number + 22, **row})
        return drawn


@dataclass
class Lines:
    """`series`: label and points [(x, y)]; drawn in one plot with both axes from their lowest to highest value."""

    name: str
    title: str
    axis: str
    axis_y: str
    series: Sequence[dict[str, Any]]
    low_y: float = 0.0
    note: str = ""
    template: str = field(default="web/figures/lines.html", init=False)

    def __post_init__(self) -> None:
        points = [point for each in self.series for point in each["points"]]
        self.low = min((x for x, _ in points), default=0)
        self.high = max((x for x, _ in points), default=1)
        self.high_y = max((y for _, y in points), default=1) or 1

    def _x(self, value: float) -> float:
        return round(1000 * (value - self.low) / ((self.high - self.low) or 1), 2)

    def _y(self, value: float) -> float:
        return round(1000 - 1000 * (value - self.low_y) / ((self.high_y - self.low_y) or 1), 2)

    @property
    def drawn(self) -> list[dict[str, Any]]:
        return [
            {
                "number": number,
                "label": each["label"],
                "points": " ".join(f"{self._x(x)},{self._y(y)}" for x, y in each["points"]),
            }
            for number, each in enumerate(self.series)
        ]

    @property
    def marks(self) -> list[dict[str, Any]]:
        return [{"x": 8 + 90 * self._x(t) / 1000, "label": f"{t:g}"} for t in ticks(self.low, self.high)]

    @property
    def marks_y(self) -> list[dict[str, Any]]:
        height = PLOT_HEIGHT
        return [{"y": 10 + height * self._y(t) / 1000, "label": f"{t:g}"} for t in ticks(self.low_y, self.high_y)]

    @property
    def csv(self) -> list[list[object]]:
        rows: list[list[object]] = [["label", "x", "y"]]
        return rows + [[each["label"], x, y] for each in self.series for x, y in each["points"]]


@dataclass
class Heat:
    """A table of numbers with shades: `cells[row][column]`, each a value or None; darkest is the largest."""

    name: str
    title: str
    heads: Sequence[str]
    labels: Sequence[str]
    cells: Sequence[Sequence[float | None]]
    corner: str = ""
    decimals: int = 0
    note: str = ""
    template: str = field(default="web/figures/heat.html", init=False)

    @property
    def drawn(self) -> list[dict[str, Any]]:
        values = [abs(cell) for row in self.cells for cell in row if cell is not None]
        most = max(values, default=0) or 1
        return [
            {
                "label": label,
                "cells": [
                    {
                        "text": "–" if cell is None else f"{cell:,.{self.decimals}f}".replace("-", "−"),
                        "shade": 0 if cell is None else math.ceil(9 * abs(cell) / most),
                    }
                    for cell in row
                ],
            }
            for label, row in zip(self.labels, self.cells, strict=True)
        ]

    @property
    def csv(self) -> list[list[object]]:
        body: list[list[object]] = [[label, *row] for label, row in zip(self.labels, self.cells, strict=True)]
        return [[self.corner, *self.heads], *body]
