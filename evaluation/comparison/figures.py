"""The figures of two values for each query: of two systems, or of one system under two facets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scoring.statistics.paired import mean_interval, wins_ties_losses
from web.figure_panels import EDGE, GUTTER, BeforeAfter, moves, ranked_bars
from web.figures import CHARACTER, Figure, Key, Panel, number_text
from web.words import Noun

ROWS = 40  # in a panel
MOST_ROWS = 120  # drawn as rows; of more queries, only the differences are drawn
MOST_IN_TABLE = 200  # rows of the table on a page; the files have all
WIDEST_GUTTER = 160
TOPS = (25.0, 50.0, 100.0)  # percent

QUERIES = Noun("query", "queries")
PAPERS = Noun("query paper", "query papers")


class ValuePair(NamedTuple):
    """The two values of a query, or of a query paper: fractions."""

    name: str
    first: float
    second: float

    @property
    def difference(self) -> float:
        return self.second - self.first


class Sides(NamedTuple):
    """The names of the two values: "bm25" and "specter", or two facets."""

    first: str
    second: str


def by_difference(values: Sequence[ValuePair]) -> list[ValuePair]:
    """The largest difference, second minus first, is first; ties are in the order of the names."""
    return sorted(values, key=lambda row: (-round(row.difference, 9), row.name))


def finding_of(values: Sequence[ValuePair], sides: Sides, measure: str, noun: Noun) -> str:
    """The finding of the figure in words: the mean difference, the counts and the extremes."""
    differences = [row.difference for row in values]
    mean = mean_interval(differences).value
    assert mean is not None, "a figure needs at least one query"
    wins, ties, losses = wins_ties_losses(differences)
    ranked = by_difference(values)
    return (
        f"{measure} over {noun.phrase(len(values))}: the mean of {sides.second} minus "
        f"{sides.first} is {_signed(mean)} percentage points. "
        f"{sides.second} is higher on {wins:,}, equal on {ties:,} and lower on {losses:,}. "
        f"The differences range from {_signed(ranked[-1].difference)} "
        f"({ranked[-1].name}) to {_signed(ranked[0].difference)} ({ranked[0].name})."
    )


def comparison_figure(
    values: Sequence[ValuePair],
    sides: Sides,
    measure: str,
    *,
    name: str,
    title: str,
    noun: Noun,
    left_out: str = "",
    most_in_table: int | None = None,
) -> Figure:
    """Two dots for each query, sorted by their difference; bars of the differences for many.

    `left_out` is a sentence for the note. `most_in_table` limits the rows of the table.
    """
    ranked = by_difference(values)
    finding = finding_of(ranked, sides, measure, noun)
    many = len(ranked) > MOST_ROWS
    drawn = f"A bar is the difference of a {noun.one}" if many else f"A row is a {noun.one}"
    order = f"the largest difference, {sides.second} minus {sides.first}, is first"
    note = f"{drawn}; {order}. Values are in percent."
    points = [100 * row.difference for row in ranked]
    shown = ranked[:most_in_table]
    if len(shown) < len(ranked):
        left_out = f"{left_out} The table has the first {len(shown):,}; the CSV file has all."
    return Figure(
        name=name,
        title=title,
        note=f"{note} {left_out}".strip(),
        panels=[ranked_bars(f"Difference in {measure}", finding, points)]
        if many
        else _rows(ranked, finding, sides, noun),
        head=(noun.one, *(f"score, {side} (%)" for side in sides), "difference (points)"),
        rows=[
            (row.name, *(100 * number for number in (*row[1:], row.difference))) for row in shown
        ],
        keys=()
        if many
        else (
            Key("dot-before", sides.first, is_dot=True),
            Key("dot-after", sides.second, is_dot=True),
        ),
    )


def _rows(ranked: Sequence[ValuePair], finding: str, sides: Sides, noun: Noun) -> list[Panel]:
    numbers = [100 * number for row in ranked for number in (row.first, row.second)]
    low, high = min(0.0, *numbers), max(numbers)
    high = next((top for top in TOPS if high <= top), high)
    longest = max(len(row.name) for row in ranked)
    gutter = min(WIDEST_GUTTER, max(GUTTER, CHARACTER * (longest + 1) + EDGE))
    parts = [ranked[start : start + ROWS] for start in range(0, len(ranked), ROWS)]
    return [
        moves(
            _part_title(number, part, len(ranked), noun),
            finding if number == 0 else f"{noun.many.capitalize()} from {number * ROWS + 1} on.",
            [BeforeAfter(row.name, 100 * row.first, 100 * row.second) for row in part],
            low,
            high,
            stages=sides,
            gutter=gutter,
        )
        for number, part in enumerate(parts)
    ]


def _part_title(number: int, part: Sequence[ValuePair], total: int, noun: Noun) -> str:
    if len(part) == total:
        return noun.phrase(total)
    first = number * ROWS + 1
    return f"{noun.many.capitalize()} {first} to {first + len(part) - 1}"


def _signed(value: float) -> str:
    """A difference in percentage points."""
    rounded = round(100 * value, 2)
    return f"{'+' if rounded > 0 else ''}{number_text(rounded)}"
