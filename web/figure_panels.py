"""The kinds of panels that figures consist of: each from values to marks. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, Protocol

from web.figures import (
    CHARACTER,
    PANEL_WIDTH,
    Bar,
    Dot,
    Panel,
    PixelScale,
    RowLink,
    Stroke,
    TextLine,
    clipped,
    number_text,
    pixels,
    ticks,
)

TITLE = 16  # the baseline of a panel's title
TOP = 28  # where the marks begin
ROW = 17
GUTTER = 116  # for the names of rows
EDGE = 12  # for half of a dot, and half of the last number of an axis
AXIS = 20


def _title(text: str) -> TextLine:
    return TextLine(0, TITLE, clipped(text, PANEL_WIDTH), css="heading")


def _grid(scale: PixelScale, bottom: float) -> tuple[list[Stroke], list[TextLine]]:
    """Upright lines at round values, with their numbers below."""
    values = ticks(scale.low, scale.high)
    strokes = [
        Stroke("track" if value else "zero", scale.at(value), TOP, scale.at(value), bottom)
        for value in values
    ]
    texts = [
        TextLine(scale.at(value), bottom + 14, number_text(value), "middle") for value in values
    ]
    return strokes, texts


def _names(names: Sequence[str], gutter: float = GUTTER) -> list[TextLine]:
    return [
        TextLine(gutter - 8, TOP + ROW * row + 13, clipped(name, gutter - 8), "end")
        for row, name in enumerate(names)
    ]


class NamedRow(Protocol):
    @property
    def name(self) -> str: ...


class LinkedRow(NamedRow, Protocol):
    @property
    def url(self) -> str: ...


def _links(rows: Sequence[LinkedRow], labels: Sequence[str]) -> list[RowLink]:
    """A link for each row that leads to a page."""
    return [
        RowLink(TOP + ROW * place, ROW, row.url, label)
        for place, (row, label) in enumerate(zip(rows, labels, strict=True))
        if row.url
    ]


def _row_panel(
    title: str,
    finding: str,
    rows: Sequence[NamedRow],
    scale: PixelScale,
    strokes: Sequence[Stroke],
    *,
    bars: Sequence[Bar] = (),
    dots: Sequence[Dot] = (),
    gutter: float = GUTTER,
    links: Sequence[RowLink] = (),
) -> Panel:
    """A panel with a name for each row, over a grid."""
    bottom = TOP + ROW * len(rows)
    lines, numbers = _grid(scale, bottom)
    texts = [_title(title), *_names([row.name for row in rows], gutter), *numbers]
    return Panel(
        finding,
        bottom + AXIS,
        strokes=[*lines, *strokes],
        bars=bars,
        dots=dots,
        texts=texts,
        links=links,
    )


class BeforeAfter(NamedTuple):
    """A value before and after; None where it is undefined. `url` is of the row's page."""

    name: str
    before: float | None
    after: float | None
    url: str = ""


def moves(
    title: str,
    finding: str,
    rows: Sequence[BeforeAfter],
    low: float,
    high: float,
    *,
    stages: tuple[str, str] = ("before", "after"),
    gutter: float = GUTTER,
) -> Panel:
    """A row for each name, with a hollow dot before and a filled dot after.

    `stages` are the words for the two dots. `gutter` is the room for the names, in pixels.
    """
    scale = PixelScale(low, high, gutter + EDGE, PANEL_WIDTH - EDGE)
    strokes: list[Stroke] = []
    dots: list[Dot] = []
    labels: list[str] = []
    for row, (name, before, after, _) in enumerate(rows):
        y = TOP + ROW * (row + 0.5)
        if before is not None and after is not None:
            strokes.append(Stroke("move", scale.at(before), y, scale.at(after), y))
        values = zip(("before", "after"), (before, after), stages, strict=True)
        known = [(css, value, stage) for css, value, stage in values if value is not None]
        for css, value, stage in known:
            label = f"{name}: {number_text(value)} {stage}"
            dots.append(Dot(f"dot-{css}", scale.at(value), y, label))
        labels.append(
            f"{name}: {', '.join(f'{number_text(value)} {stage}' for _, value, stage in known)}"
        )
    links = _links(rows, labels)
    return _row_panel(title, finding, rows, scale, strokes, dots=dots, gutter=gutter, links=links)


class Interval(NamedTuple):
    """A value with its interval; NaN where the value or the interval is undefined.

    `is_sure` fills its dot; `url` is of the row's page.
    """

    name: str
    low: float
    value: float
    high: float
    is_sure: bool = True
    url: str = ""

    @property
    def text(self) -> str:
        """ "bm25: 36.19, from 31.5 to 41"."""
        if math.isnan(self.value):
            return f"{self.name}: undefined"
        text = f"{self.name}: {number_text(round(self.value, 2))}"
        if math.isnan(self.low):
            return text
        return (
            f"{text}, from {number_text(round(self.low, 2))} to {number_text(round(self.high, 2))}"
        )


def intervals(
    title: str, finding: str, rows: Sequence[Interval], low: float, high: float, gutter: float
) -> Panel:
    """A row for each name: a line from the low to the high end, and a dot on it."""
    scale = PixelScale(low, high, gutter + EDGE, PANEL_WIDTH - EDGE)
    strokes: list[Stroke] = []
    dots: list[Dot] = []
    for place, row in enumerate(rows):
        y = TOP + ROW * (place + 0.5)
        if not math.isnan(row.low):
            strokes.append(Stroke("move", scale.at(row.low), y, scale.at(row.high), y))
        css = "dot-after" if row.is_sure else "dot-before"
        if not math.isnan(row.value):
            dots.append(Dot(css, scale.at(row.value), y, row.text))
    links = _links(rows, [row.text for row in rows])
    return _row_panel(title, finding, rows, scale, strokes, dots=dots, gutter=gutter, links=links)


def gutter_for(names: Iterable[str], most: float = 160) -> float:
    """The room that the names of rows need, in pixels."""
    longest = max(map(len, names), default=0)
    return min(most, max(GUTTER, CHARACTER * (longest + 1) + EDGE))


MOST_BARS = 272  # so that each bar is at least a pixel wide


def ranked_bars(title: str, finding: str, values: Sequence[float]) -> Panel:
    """Values in descending order as bars that begin at 0.

    Of more values than MOST_BARS, evenly spaced ones are drawn.
    """
    ranked = sorted(values, reverse=True)
    count = min(len(ranked), MOST_BARS)
    drawn = [ranked[int((place + 0.5) * len(ranked) / count)] for place in range(count)]
    left = 48
    scale = PixelScale(min(0.0, *drawn), max(0.0, *drawn), COLUMNS_BOTTOM, TOP + 4)
    zero, width = scale.at(0), (PANEL_WIDTH - left) / max(1, count)
    levels = [value for value in ticks(scale.low, scale.high) if value]
    strokes = [
        Stroke("track", left, scale.at(value), PANEL_WIDTH, scale.at(value)) for value in levels
    ]
    bars = [
        Bar(
            "done",
            pixels(left + width * place),
            min(zero, scale.at(value)),
            pixels(width),
            pixels(abs(zero - scale.at(value))),
            number_text(value),
        )
        for place, value in enumerate(drawn)
    ]
    numbers = [
        TextLine(left - 6, scale.at(value) + 4, number_text(value), "end")
        for value in (0.0, *levels)
    ]
    ends = [
        TextLine(left, COLUMNS_BOTTOM + 14, "1"),
        TextLine(PANEL_WIDTH, COLUMNS_BOTTOM + 14, f"{len(ranked):,} queries", "end"),
    ]
    return Panel(
        finding,
        COLUMNS_BOTTOM + AXIS,
        strokes=[*strokes, Stroke("zero", left, zero, PANEL_WIDTH, zero)],
        bars=bars,
        texts=[_title(title), *numbers, *ends],
    )


class Series(NamedTuple):
    """A number for each column. `css` has one class, or one for each column."""

    name: str
    css: Sequence[str]
    counts: Sequence[int]

    def css_of(self, column: int) -> str:
        return self.css[column % len(self.css)]


class Stack(NamedTuple):
    """A row of counts that are drawn as parts of a whole, in the order of the grades."""

    name: str
    counts: Sequence[int]


STACK_HEIGHT = 22
SHARE_ROOM = 30  # the width that a written share needs


def stacks(title: str, finding: str, rows: Sequence[Stack], most_gutter: float = GUTTER) -> Panel:
    """A bar for each row, as long as the others, divided in the grade ramp.

    A part has its share in percent above it, where there is room. The names have `most_gutter`
    pixels at most.
    """
    gutter = min(most_gutter, CHARACTER * max((len(row.name) for row in rows), default=0) + 8)
    bars: list[Bar] = []
    texts = [_title(title)]
    for place, row in enumerate(rows):
        top = TOP + (STACK_HEIGHT + ROW) * place
        scale = PixelScale(0, max(1, sum(row.counts)), gutter, PANEL_WIDTH - 1)
        texts.append(TextLine(gutter - 8, top + ROW + 14, clipped(row.name, gutter - 8), "end"))
        below = 0
        for grade, count in enumerate(row.counts):
            left, right = scale.at(below), scale.at(below + count)
            below += count
            if not count:
                continue
            share = f"{100 * count / sum(row.counts):.0f} %"
            label = f"{row.name}: {count:,} at grade {grade}, {share}"
            bars.append(
                Bar(f"g{grade}", left, top + ROW, pixels(right - left), STACK_HEIGHT, label)
            )
            if right - left >= SHARE_ROOM:
                texts.append(TextLine(pixels((left + right) / 2), top + ROW - 4, share, "middle"))
    height = TOP + (STACK_HEIGHT + ROW) * len(rows) + 4
    return Panel(finding, height, bars=bars, texts=texts)


COLUMNS_BOTTOM = TOP + 132


class ColumnPlaces(NamedTuple):
    """The places of the columns: from `left` on, each `width` wide, with counts on `scale`."""

    left: float
    width: float
    scale: PixelScale

    def middle(self, column: int) -> float:
        return pixels(self.left + self.width * (column + 0.5))

    def bar(self, column: int, series: Series, number: int, of: int, label: str) -> Bar:
        """The bar of the `number`th of so many series; a fifth of the column stays empty."""
        width, count = self.width * 0.8 / of, series.counts[column]
        y = self.scale.at(count)
        return Bar(
            css=series.css_of(column),
            x=pixels(self.left + self.width * (column + 0.1) + width * number),
            y=y,
            width=pixels(width),
            height=pixels(COLUMNS_BOTTOM - y),
            title=f"{label}: {count:,} {series.name}",
        )


def columns(
    title: str,
    finding: str,
    labels: Sequence[str],
    series: Sequence[Series],
    *,
    top: float = 0,
    every: int = 1,
    texts: Sequence[str] = (),
) -> Panel:
    """A group of upright bars for each label.

    `top` is the count of the longest bar, so that panels can be compared. Every `every`th label is
    written below its group. `texts` are written above the groups, in place of a scale.
    """
    most = max([top, 1, *(count for row in series for count in row.counts)])
    left, room = (0, 16) if texts else (34, 4)
    scale = PixelScale(0, most, COLUMNS_BOTTOM, TOP + room)
    place = ColumnPlaces(left, (PANEL_WIDTH - left) / max(1, len(labels)), scale)
    strokes, numbers = ([], []) if texts else _level_lines(scale, left)
    return Panel(
        finding,
        COLUMNS_BOTTOM + AXIS,
        strokes=[*strokes, Stroke("zero", left, COLUMNS_BOTTOM, PANEL_WIDTH, COLUMNS_BOTTOM)],
        bars=[
            place.bar(column, row, number, len(series), label)
            for column, label in enumerate(labels)
            for number, row in enumerate(series)
            if row.counts[column]
        ],
        texts=[
            _title(title),
            *(
                TextLine(place.middle(column), COLUMNS_BOTTOM + 14, labels[column], "middle")
                for column in range(0, len(labels), every)
            ),
            *_texts_above(place, series, texts),
            *numbers,
        ],
    )


def _texts_above(
    place: ColumnPlaces, series: Sequence[Series], texts: Sequence[str]
) -> list[TextLine]:
    tallest = [max(row.counts[column] for row in series) for column in range(len(texts))]
    return [
        TextLine(place.middle(column), place.scale.at(tallest[column]) - 4, text, "middle")
        for column, text in enumerate(texts)
    ]


def _level_lines(scale: PixelScale, left: float) -> tuple[list[Stroke], list[TextLine]]:
    values = [value for value in ticks(0, scale.high) if value == int(value)]
    strokes = [
        Stroke("track", left, scale.at(value), PANEL_WIDTH, scale.at(value)) for value in values
    ]
    numbers = [
        TextLine(left - 6, scale.at(value) + 4, number_text(value), "end") for value in values
    ]
    return strokes, numbers


class Spread(NamedTuple):
    """Five numbers of a distribution: the ends, the quartiles and the median."""

    name: str
    lowest: float
    lower: float
    median: float
    upper: float
    highest: float


def spreads(title: str, finding: str, rows: Sequence[Spread], high: float) -> Panel:
    """A row for each name: a line from end to end, a box over the middle half, the median."""
    scale = PixelScale(0, high, GUTTER + EDGE, PANEL_WIDTH - EDGE)
    strokes: list[Stroke] = []
    bars: list[Bar] = []
    medians: list[Dot] = []
    for row, spread in enumerate(rows):
        y = TOP + ROW * (row + 0.5)
        strokes.append(Stroke("move", scale.at(spread.lowest), y, scale.at(spread.highest), y))
        left, right = scale.at(spread.lower), scale.at(spread.upper)
        bars.append(Bar("g1", left, y - 5, pixels(max(1, right - left)), 10, _spread_text(spread)))
        medians.append(Dot("dot-after", scale.at(spread.median), y, _spread_text(spread)))
    return _row_panel(title, finding, rows, scale, strokes, bars=bars, dots=medians)


def _spread_text(spread: Spread) -> str:
    lowest, lower, median, upper, highest = map(number_text, spread[1:])
    return f"{spread.name}: {lowest} to {highest}, half from {lower} to {upper}, median {median}"


class PartOfNumber(NamedTuple):
    """A number and a part of it."""

    name: str
    total: int
    part: int


def parts(title: str, finding: str, rows: Sequence[PartOfNumber], words: tuple[str, str]) -> Panel:
    """A row for each name: a pale bar for the total, and over it a dark one for the part.

    `words` say what the totals and the parts count.
    """
    most = max([1, *(row.total for row in rows)])
    scale = PixelScale(0, most, GUTTER, PANEL_WIDTH - EDGE)
    bars: list[Bar] = []
    for number, row in enumerate(rows):
        y = TOP + ROW * number + 3
        label = f"{row.name}: {row.total:,} {words[0]}, {row.part:,} {words[1]}"
        for css, count in (("g1", row.total), ("done", row.part)):
            if count:
                bars.append(Bar(css, GUTTER, y, pixels(scale.at(count) - GUTTER), 11, label))
    return _row_panel(title, finding, rows, scale, (), bars=bars)


class Range(NamedTuple):
    """A value between two bounds, with a second value."""

    name: str
    low: float
    value: float
    high: float


def ranges(
    title: str,
    finding: str,
    rows: Sequence[Range],
    words: tuple[str, str, str],
    gutter: float = GUTTER,
) -> Panel:
    """A row for each name: a hollow dot at the lower bound, a line to the upper, a filled dot.

    `words` name the lower bound, the filled dot and the upper bound.
    """
    high = max([0.0, *(row.high for row in rows)])
    scale = PixelScale(0, high or 1, gutter + EDGE, PANEL_WIDTH - EDGE)
    strokes: list[Stroke] = []
    dots: list[Dot] = []
    for number, row in enumerate(rows):
        y = TOP + ROW * (number + 0.5)
        strokes.append(Stroke("move", scale.at(row.low), y, scale.at(row.high), y))
        strokes.append(Stroke("move", scale.at(row.high), y - 4, scale.at(row.high), y + 4))
        values = zip(words, row[1:], strict=True)
        label = f"{row.name}: {', '.join(f'{word} {number_text(each)}' for word, each in values)}"
        dots.append(Dot("dot-after", scale.at(row.value), y, label))
        dots.append(Dot("dot-before", scale.at(row.low), y, label))
    return _row_panel(title, finding, rows, scale, strokes, dots=dots, gutter=gutter)


MOST_POINTS = 130  # of a curve, so that a step is at least two pixels wide


def curve(title: str, finding: str, values: Sequence[int], axis: str) -> Panel:
    """Values that grow, at 1, 2, … from the left, as a line from 0; `axis` names the last place.

    Of more values than MOST_POINTS, evenly spaced ones are drawn, and the last.
    """
    left, count = 48, len(values)
    step = max(1, -(-count // MOST_POINTS))
    places = sorted({0, *range(step, count, step), count})
    across = PixelScale(0, max(1, count), left, PANEL_WIDTH - EDGE)
    upward = PixelScale(0, max([1, *values]), COLUMNS_BOTTOM, TOP + 4)
    points = [(across.at(place), upward.at(values[place - 1] if place else 0)) for place in places]
    strokes, numbers = _level_lines(upward, left)
    strokes.append(Stroke("zero", left, COLUMNS_BOTTOM, PANEL_WIDTH, COLUMNS_BOTTOM))
    strokes += [Stroke("curve", *start, *end) for start, end in pairwise(points)]
    labels = [value for value in ticks(0, count) if value == int(value)][:-1]
    return Panel(
        finding,
        COLUMNS_BOTTOM + AXIS,
        strokes=strokes,
        texts=[
            _title(title),
            *numbers,
            *_numbers_below(across, labels, f"{count:,} {axis}"),
        ],
    )


def _numbers_below(across: PixelScale, values: Iterable[float], last: str) -> Iterator[TextLine]:
    """Values under the columns, and the words at the right end."""
    for value in values:
        yield TextLine(across.at(value), COLUMNS_BOTTOM + 14, number_text(value), "middle")
    yield TextLine(PANEL_WIDTH, COLUMNS_BOTTOM + 14, last, "end")


class BandPoint(NamedTuple):
    """A point of a line with the ends of its band."""

    x: float
    y: float
    low: float
    high: float


def continued_curve(
    title: str,
    finding: str,
    known: Sequence[BandPoint],
    expected: Sequence[BandPoint],
    *,
    axis: str,
) -> Panel:
    """A line from 0 through `known`, continued by a paler one through `expected` with its band.

    A straight dashed line leads to the end of that one, too. `axis` is the unit across.
    """
    left = 48
    points = [BandPoint(0, 0, 0, 0), *known, *expected]
    most = max(point.x for point in points)
    across = PixelScale(0, most or 1, left, PANEL_WIDTH - EDGE)
    upward = PixelScale(0, max(1.0, *(point.high for point in points)), COLUMNS_BOTTOM, TOP + 4)

    def line(css: str, along: Sequence[tuple[float, float]]) -> list[Stroke]:
        places = [(across.at(x), upward.at(y)) for x, y in along]
        return [Stroke(css, *start, *end) for start, end in pairwise(places)]

    strokes, numbers = _level_lines(upward, left)
    strokes.append(Stroke("zero", left, COLUMNS_BOTTOM, PANEL_WIDTH, COLUMNS_BOTTOM))
    for end in ("low", "high"):
        strokes += line("band", [(point.x, getattr(point, end)) for point in expected])
    strokes += line("chord", [point[:2] for point in (*expected[:1], *expected[-1:])])
    strokes += line("expected", [point[:2] for point in expected])
    strokes += line("curve", [(0, 0), *(point[:2] for point in known)])
    values = ticks(0, most)[:-1] if most else []
    return Panel(
        finding,
        COLUMNS_BOTTOM + AXIS,
        strokes=strokes,
        texts=[
            _title(title),
            *numbers,
            *_numbers_below(across, values, f"{most:,.1f} {axis}"),
        ],
    )


class SpreadPoint(NamedTuple):
    """A value `y` at `x`, from `y - spread` to `y + spread`."""

    x: int
    y: float
    spread: float = 0.0


class NamedCurve(NamedTuple):
    """Points in ascending order of x."""

    name: str
    points: Sequence[SpreadPoint]


NAME_ROOM, NAME_HEIGHT = 112, 14  # for the names at the ends of curves


def named_curves(title: str, finding: str, curves: Sequence[NamedCurve], *, axis: str) -> Panel:
    """Curves over a logarithmic axis, each with its name at its end. `axis` is its unit."""
    left, right = 40, PANEL_WIDTH - NAME_ROOM
    values = sorted({point.x for curve in curves for point in curve.points})
    across = PixelScale(math.log(values[0]), math.log(values[-1]), left + EDGE, right - EDGE)
    highest = max(point.y + point.spread for curve in curves for point in curve.points)
    upward = PixelScale(0, highest or 1.0, COLUMNS_BOTTOM, TOP + 4)
    strokes: list[Stroke] = []
    texts = [_title(title)]
    for level in ticks(0, upward.high):
        y = upward.at(level)
        strokes.append(Stroke("track" if level else "zero", left, y, right, y))
        texts.append(TextLine(left - 6, y + 4, number_text(level), "end"))
    dots: list[Dot] = []
    for curve in curves:
        places = [(across.at(math.log(x)), upward.at(y)) for x, y, _ in curve.points]
        strokes += [Stroke("curve", *start, *end) for start, end in pairwise(places)]
        for (x, y), point in zip(places, curve.points, strict=True):
            low, high = (upward.at(point.y + side * point.spread) for side in (-1, 1))
            strokes.append(Stroke("move", x, low, x, high))
            label = f"{curve.name}: {number_text(round(point.y, 2))} with {point.x:,} {axis}"
            dots.append(Dot("dot-after", x, y, label))
    texts += _names_at_ends(curves, upward, right)
    texts += [
        TextLine(left, COLUMNS_BOTTOM + 14, f"{values[0]:,}"),
        TextLine(PANEL_WIDTH, COLUMNS_BOTTOM + 14, f"{values[-1]:,} {axis}", "end"),
    ]
    return Panel(finding, COLUMNS_BOTTOM + AXIS, strokes=strokes, dots=dots, texts=texts)


def _names_at_ends(curves: Sequence[NamedCurve], scale: PixelScale, x: float) -> list[TextLine]:
    """The highest curve first. A name is moved down where it would cover the one above."""
    texts = []
    lowest = -math.inf
    for curve in sorted(curves, key=lambda curve: -curve.points[-1].y):
        lowest = max(scale.at(curve.points[-1].y) + 4, lowest + NAME_HEIGHT)
        texts.append(TextLine(x, lowest, clipped(curve.name, NAME_ROOM), css="ink"))
    return texts


HEAT_WIDTH, HEAT_HEIGHT, HEAT_TOP = 44, 22, 18
WHITE, WARMEST = (255, 255, 255), (0x5A, 0xA6, 0xA0)  # of shares of 0 and 1, as red, green, blue


class HeatCell(NamedTuple):
    """The cell with its upper left corner at (x, y)."""

    x: float
    y: float
    share: float
    names: tuple[str, str]

    @property
    def bar(self) -> Bar:
        title = f"{self.names[0]} and {self.names[1]}: {100 * self.share:.1f} %"
        width, height = HEAT_WIDTH - 1, HEAT_HEIGHT - 1
        return Bar("", self.x, self.y, width, height, title, heat_colour(self.share))

    @property
    def text(self) -> TextLine:
        x, y = self.x + HEAT_WIDTH / 2, self.y + 15
        return TextLine(x, y, f"{100 * self.share:.0f} %", "middle", "ink")


def heat_colour(share: float) -> str:
    """A solid colour; transparency would cost the PDF its constant bytes."""
    mixed = (round(cold + (hot - cold) * share) for cold, hot in zip(WHITE, WARMEST, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def heat_map(finding: str, names: Sequence[str], shares: Sequence[Sequence[float | None]]) -> Panel:
    """A square of shares from 0 to 1, written as percent. The diagonal stays empty.

    Numbers stand for the names above the columns, where the names have no room.
    """
    rows = [f"{number}  {name}" for number, name in enumerate(names, 1)]
    heads = [str(number) for number in range(1, len(names) + 1)]
    off_diagonal = [
        [None if row == column else share for column, share in enumerate(of_row)]
        for row, of_row in enumerate(shares)
    ]
    return _heat_panel(finding, rows, heads, off_diagonal, (names, names))


def heat_table(
    title: str,
    finding: str,
    rows: Sequence[str],
    heads: Sequence[str],
    shares: Sequence[Sequence[float | None]],
) -> Panel:
    """A table of shares from 0 to 1, written as percent, with a title above its heads."""
    panel = _heat_panel(finding, rows, heads, shares, (rows, heads), TITLE + HEAT_TOP)
    return replace(panel, texts=[_title(title), *panel.texts], width=max(panel.width, PANEL_WIDTH))


def _heat_panel(
    finding: str,
    rows: Sequence[str],
    heads: Sequence[str],
    shares: Sequence[Sequence[float | None]],
    names: tuple[Sequence[str], Sequence[str]],
    top: float = HEAT_TOP,
) -> Panel:
    """Cells for the shares that are known; `names` are those of rows and columns in the titles."""
    left = pixels(CHARACTER * max(map(len, rows), default=0) + 8)
    cells = [
        HeatCell(
            left + HEAT_WIDTH * column,
            top + HEAT_HEIGHT * row,
            share,
            (names[0][row], names[1][column]),
        )
        for row, of_row in enumerate(shares)
        for column, share in enumerate(of_row)
        if share is not None
    ]
    return Panel(
        finding,
        top + HEAT_HEIGHT * len(rows) + 4,
        left + HEAT_WIDTH * len(heads),
        bars=[cell.bar for cell in cells],
        texts=[
            *(
                TextLine(left + HEAT_WIDTH * (column + 0.5), top - 6, head, "middle")
                for column, head in enumerate(heads)
            ),
            *(TextLine(0, top + HEAT_HEIGHT * row + 15, name) for row, name in enumerate(rows)),
            *(cell.text for cell in cells),
        ],
    )
