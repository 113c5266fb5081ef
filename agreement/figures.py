"""The figures of the agreement page, made from a report. Nothing here computes a coefficient."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from agreement.coefficients import Coefficient
from agreement.tables import AxisRange, Payload, QueryAgreementLine, QueryLines, signed_number
from corpus.resampling import FEWEST_QUERIES
from web.figure_panels import (
    BeforeAfter,
    Interval,
    Series,
    columns,
    gutter_for,
    heat_table,
    intervals,
    moves,
)
from web.figures import Figure, Key, Panel, number_text
from web.words import count_noun

MOST_ROWS = 30  # queries of a facet that are drawn as rows; more of them are counted in bins
BINS = 10
WHEN = {"pre": "before", "asked": "asked", "post": "after"}
KEYS = (
    Key("dot-before", "before adjudication", is_dot=True),
    Key("dot-after", "after adjudication", is_dot=True),
)


def figures_of(queries: QueryLines, confusion: Payload, names: Mapping[str, str]) -> list[Figure]:
    """The figures with something to show; `names` are the facets' by their key, in order."""
    figures = [
        _medians(queries, names),
        _agreement(list(_facet_values(queries, names)), queries.scale, queries.coefficient),
        _grades(confusion, names),
    ]
    return [figure if any(names) else without_facets(figure) for figure in figures if figure.panels]


def without_facets(figure: Figure) -> Figure:
    """Without the column of facets, in a collection that has none."""
    place = list(figure.head).index("facet")
    return replace(
        figure,
        head=[*figure.head[:place], *figure.head[place + 1 :]],
        rows=[[*row[:place], *row[place + 1 :]] for row in figure.rows],
    )


# Medians


def _medians(queries: QueryLines, names: Mapping[str, str]) -> Figure:
    """The medians of each facet with a value, with their intervals, on the scale of the queries."""
    coefficient = queries.coefficient
    rows = [
        row._replace(facet=names.get(row.facet, row.facet))
        for row in map(partial(_median_row, coefficient.key), queries.medians)
        if row.median is not None
    ]
    drawn = [
        Interval(
            f"{row.facet} {row.stage}".strip(),
            math.nan if row.low is None else row.low,
            math.nan if row.median is None else row.median,
            math.nan if row.high is None else row.high,
            is_sure=row.stage == "after",
        )
        for row in rows
    ]
    title = f"Median {coefficient.symbol}"
    panel = intervals(
        title,
        f"{title}: {'; '.join(row.text for row in drawn)}.",
        drawn,
        queries.scale.low,
        queries.scale.top,
        gutter_for([row.name for row in drawn]),
    )
    return Figure(
        name="medians",
        title=f"Medians with 95 % intervals ({coefficient.name})",
        note=f"Bootstrap intervals over the queries, for at least {FEWEST_QUERIES} queries.",
        panels=[panel] if rows else [],
        head=MedianRow._fields,
        rows=rows,
        keys=KEYS,
    )


class MedianRow(NamedTuple):
    facet: str
    stage: str
    median: float | None
    low: float | None
    high: float | None


def _median_row(key: str, row: Payload) -> MedianRow:
    low, high = row["interval"][key] or (None, None)
    return MedianRow(row["facet"], WHEN[row["stage"]], row["median"][key], low, high)


# Agreement by query


class FacetValues(NamedTuple):
    """The coefficient of each query of a facet, the highest before adjudication first."""

    key: str
    facet: str
    coefficient: Coefficient
    moves: list[BeforeAfter]

    @property
    def before(self) -> list[float]:
        return [move.before for move in self.moves if move.before is not None]

    @property
    def after(self) -> list[float]:
        return [move.after for move in self.moves if move.after is not None]

    @property
    def short_moves(self) -> list[BeforeAfter]:
        """Named by the query paper only, because the panel is of one facet."""
        if not self.key:
            return self.moves
        return [move._replace(name=move.name.removesuffix(f"_{self.key}")) for move in self.moves]

    @property
    def title(self) -> str:
        return f"{self.facet}: median {self._median(self.before)} → {self._median(self.after)}"

    @property
    def finding(self) -> str:
        queries = count_noun(len(self.moves), "query", "queries")
        return (
            f"{self.facet}, {queries}: median {self.coefficient.symbol} "
            f"{self._median(self.before)} of {len(self.before):,} before and "
            f"{self._median(self.after)} of {len(self.after):,} after adjudication."
        )

    def _median(self, values: Sequence[float]) -> str:
        if not values:
            return "undefined"
        return signed_number(median(values), self.coefficient.decimals)


def _facet_values(queries: QueryLines, names: Mapping[str, str]) -> Iterator[FacetValues]:
    coefficient = queries.coefficient
    lines: dict[str, list[QueryAgreementLine]] = defaultdict(list)
    for line in queries.lines:
        lines[line.facet].append(line)
    for key in [*names, *(lines.keys() - names.keys())]:
        rows = [
            BeforeAfter(line.query, line.pre[coefficient.key], line.post[coefficient.key])
            for line in lines.get(key, ())
        ]
        if rows:
            yield FacetValues(
                key, names.get(key, key), coefficient, sorted(rows, key=_from_high_to_low)
            )


def _from_high_to_low(move: BeforeAfter) -> tuple[float, float, str]:
    """Undefined values come last."""
    before, after = (math.inf if value is None else -value for value in (move.before, move.after))
    return before, after, move.name


def _agreement(facets: Sequence[FacetValues], scale: AxisRange, coefficient: Coefficient) -> Figure:
    title = f"Agreement by query ({coefficient.name})"
    if max((len(facet.moves) for facet in facets), default=0) > MOST_ROWS:
        return _distributions(facets, title, _edges(scale.low, scale.top))
    return Figure(
        name="agreement",
        title=title,
        note="A row is a query. The highest agreement before adjudication is first.",
        panels=[
            moves(facet.title, facet.finding, facet.short_moves, scale.low, scale.top)
            for facet in facets
        ],
        head=("query", "facet", "before", "after"),
        rows=[
            (move.name, facet.facet, move.before, move.after)
            for facet in facets
            for move in facet.moves
        ],
        keys=KEYS,
    )


def _distributions(facets: Sequence[FacetValues], title: str, edges: Sequence[float]) -> Figure:
    """The numbers of queries with values in each bin, because so many rows cannot be read."""
    counts = [
        (facet, counts_in_bins(facet.before, edges), counts_in_bins(facet.after, edges))
        for facet in facets
    ]
    most = max(max(before + after) for _, before, after in counts)
    bins = list(pairwise(edges))
    return Figure(
        name="agreement",
        title=title,
        note="The number of queries by value. A label is the lower end of its bin.",
        panels=[
            columns(
                facet.title,
                facet.finding,
                [number_text(low) for low, _ in bins],
                [
                    Series("queries before", ["dot-before"], before),
                    Series("queries after", ["dot-after"], after),
                ],
                top=most,
                every=2,
            )
            for facet, before, after in counts
        ],
        head=("value", "facet", "queries before", "queries after"),
        rows=[
            (f"{number_text(low)} to {number_text(high)}", facet.facet, before[place], after[place])
            for facet, before, after in counts
            for place, (low, high) in enumerate(bins)
        ],
        keys=[key._replace(is_dot=False) for key in KEYS],
    )


def _edges(low: float, top: float) -> list[float]:
    """Ten bins from 0, and as many more of the same width as negative values need."""
    width = top / BINS
    first = math.floor(low / width + 1e-9)
    return [round(width * number, 9) for number in range(first, BINS + 1)]


def counts_in_bins(values: Iterable[float], edges: Sequence[float]) -> list[int]:
    """The number of values in each bin. A bin has its lower end; the last has both ends."""
    counts = [0] * (len(edges) - 1)
    width = edges[1] - edges[0]
    for value in values:
        # An epsilon, because (0.3 - 0) / 0.1 is a little less than 3.
        counts[min(len(counts) - 1, max(0, int((value - edges[0]) / width + 1e-9)))] += 1
    return counts


# Final labels


def _grades(confusion: Payload, names: Mapping[str, str]) -> Figure:
    """Of the pairs that both slots answered, so no judgment is told early."""
    labels: dict[str, list[int]] = {
        name: confusion[key]["labels"]
        for key, name in names.items()
        if key in confusion and sum(confusion[key]["labels"])
    }
    most = max((max(counts) / sum(counts) for counts in labels.values()), default=0.0)
    return Figure(
        name="grades",
        title="Final labels by grade",
        note=f"The share of each grade in the final labels{' of a facet' if any(names) else ''}.",
        panels=[_grade_panel(name, counts, most) for name, counts in labels.items()],
        head=("facet", "grade", "labels", "share"),
        rows=[
            (name, str(grade), count, count / sum(counts))
            for name, counts in labels.items()
            for grade, count in enumerate(counts)
        ],
    )


def _grade_panel(name: str, counts: Sequence[int], most: float) -> Panel:
    total = sum(counts)
    shares = [f"{100 * count / total:.0f} %" for count in counts]
    of = count_noun(total, "label")
    said = ", ".join(f"grade {grade} {share}" for grade, share in enumerate(shares))
    return columns(
        f"{name}: {of}",
        f"{name}, {of}: {said}.",
        [str(grade) for grade in range(len(counts))],
        [Series("labels", [f"g{grade}" for grade in range(len(counts))], counts)],
        top=most * total,
        texts=shares,
    )


# One facet against another


def facet_figure(rows: Sequence[Payload], names: Mapping[str, str]) -> Figure:
    """The share of documents with each two grades, for each two facets."""
    return Figure(
        name="facets",
        title="Final labels of the same document under two facets",
        note="Rows are grades under the first facet, columns those under the second. The numbers "
        "are shares of all documents with a label under both.",
        panels=[_facet_panel(row, names) for row in rows],
        head=("first facet", "second facet", "grade", "grade under second", "documents", "share"),
        rows=[
            (
                *(names.get(row["first"], row["first"]), names.get(row["second"], row["second"])),
                *(str(a), str(b), count, count / sum(map(sum, row["counts"]))),
            )
            for row in rows
            for a, of_row in enumerate(row["counts"])
            for b, count in enumerate(of_row)
        ],
    )


def _facet_panel(row: Payload, names: Mapping[str, str]) -> Panel:
    first, second = (names.get(row[key], row[key]) for key in ("first", "second"))
    total, grades = (
        sum(map(sum, row["counts"])),
        [str(grade) for grade in range(len(row["counts"]))],
    )
    equal = sum(of_row[grade] for grade, of_row in enumerate(row["counts"]))
    of = count_noun(total, "document")
    return heat_table(
        f"{first} (rows), {second} (columns)",
        f"{first} and {second}, {of}: {100 * equal / total:.0f} % have the same grade under both.",
        [f"{first} {grade}" for grade in grades],
        grades,
        [[count / total for count in of_row] for of_row in row["counts"]],
    )
