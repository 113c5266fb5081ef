"""The report of a choice, for a page and a command: its counts, their targets, and the changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from curation.choice.plan import ChoiceResult, ChosenRow
from curation.models import QueryChoice
from web.figure_panels import HEAT_HEIGHT, HEAT_TOP, heat_colour
from web.figures import CHARACTER, Bar, Figure, Panel, TextLine, pixels

DARKEST = 0.6  # share of the ramp, so that numbers stay readable
FIGURE = "balance"
CELL_WIDTH = 48


class Margin(NamedTuple):
    """The queries and papers of a period, type or facet. A target is the mean over its kind."""

    kind: str
    name: str
    queries: int
    queries_target: float
    papers: int
    papers_target: float | None  # None for facets, as a paper may have several


class PaperSwap(NamedTuple):
    """A paper that the choice has and the other has not, or that has other facets there."""

    docno: str
    title: str
    change: str


class Balance(NamedTuple):
    """The counts of a choice."""

    periods: Sequence[str]
    types: Sequence[str]  # keys
    facets: Sequence[str]
    type_names: Mapping[str, str]
    facet_names: Mapping[str, str]
    rows: Sequence[ChosenRow]

    @classmethod
    def of(cls, choice: QueryChoice) -> Balance:
        result: ChoiceResult = choice.result
        names = dict(choice.collection.paper_types.values_list("key", "name"))
        facets = dict(choice.collection.facets.values_list("key", "name"))
        return cls(
            result["periods"], result["types"], result["facets"], names, facets, result["papers"]
        )

    def queries_in(self, period: str, paper_type: str, facet: str | None = None) -> int:
        """The queries of the cell; of all facets for None."""
        return sum(
            len(row["facets"]) if facet is None else facet in row["facets"]
            for row in self.rows
            if (row["period"], row["type"]) == (period, paper_type)
        )

    @property
    def margins(self) -> list[Margin]:
        return [
            *self._margins("Period", "period", {name: name for name in self.periods}),
            *self._margins("Type", "type", {key: self.type_name(key) for key in self.types}),
            *self._facet_margins(),
        ]

    def type_name(self, key: str) -> str:
        return self.type_names.get(key, key)

    def _margins(
        self, kind: str, column: Literal["period", "type"], names: Mapping[str, str]
    ) -> Iterator[Margin]:
        papers = Counter(row[column] for row in self.rows)
        queries = Counter(row[column] for row in self.rows for _ in row["facets"])
        for key, name in names.items():
            yield Margin(
                kind,
                name,
                queries[key],
                queries.total() / len(names),
                papers[key],
                papers.total() / len(names),
            )

    def _facet_margins(self) -> Iterator[Margin]:
        counts = Counter(facet for row in self.rows for facet in row["facets"])
        for key in self.facets if len(self.facets) > 1 else ():
            mean = counts.total() / len(self.facets)
            name = self.facet_names.get(key, key)
            yield Margin("Facet", name, counts[key], mean, counts[key], None)


def balance_figure(balance: Balance) -> Figure:
    """A heat map of period by type for all queries, and for each facet."""
    facets = balance.facets if len(balance.facets) > 1 else []
    views: list[tuple[str, str | None]] = [("All queries", None)]
    views += [(balance.facet_names.get(facet, facet), facet) for facet in facets]
    types = "; ".join(
        f"{number} {balance.type_name(key)}" for number, key in enumerate(balance.types, start=1)
    )
    return Figure(
        name=FIGURE,
        title="Queries by period, type and facet" if facets else "Queries by period and type",
        note=f"The number of queries in each cell. Types: {types}.",
        panels=[_panel(balance, title, facet) for title, facet in views],
        head=["period", "type", *(facet or "queries" for _, facet in views)],
        rows=[
            (
                period,
                balance.type_name(key),
                *(balance.queries_in(period, key, facet) for _, facet in views),
            )
            for period in balance.periods
            for key in balance.types
        ],
    )


def _panel(balance: Balance, title: str, facet: str | None) -> Panel:
    counts = [
        [balance.queries_in(period, key, facet) for key in balance.types]
        for period in balance.periods
    ]
    cells = [count for row in counts for count in row]
    most = max([1, *cells])
    left = pixels(CHARACTER * max(map(len, balance.periods), default=0) + 8)
    top = 2 * HEAT_TOP
    bars: list[Bar] = []
    texts = [TextLine(0, HEAT_TOP - 4, title, css="heading")]
    for column in range(len(balance.types)):
        x = left + CELL_WIDTH * (column + 0.5)
        texts.append(TextLine(x, top - 4, str(column + 1), "middle"))
    for row, period in enumerate(balance.periods):
        y = top + HEAT_HEIGHT * row
        texts.append(TextLine(0, y + 15, period))
        for column, count in enumerate(counts[row]):
            x = left + CELL_WIDTH * column
            label = f"{period}, {balance.type_name(balance.types[column])}: {count}"
            colour = heat_colour(DARKEST * count / most)
            bars.append(Bar("", x, y, CELL_WIDTH - 1, HEAT_HEIGHT - 1, label, colour))
            texts.append(TextLine(x + CELL_WIDTH / 2, y + 15, str(count), "middle", "ink"))
    finding = (
        f"{title}: {sum(cells)} in {len(cells)} cells, from {min(cells, default=0)} to "
        f"{max(cells, default=0)} in a cell."
    )
    width = max(left + CELL_WIDTH * len(balance.types), CHARACTER * len(title) + 8)
    return Panel(finding, top + HEAT_HEIGHT * len(counts) + 4, width, bars=bars, texts=texts)


def swaps(choice: QueryChoice, before: QueryChoice) -> list[PaperSwap]:
    """The changes from `before` to the choice, by docno."""
    new = {row["docno"]: row for row in choice.result["papers"]}
    old = {row["docno"]: row for row in before.result["papers"]}
    changes = []
    for docno in sorted(new.keys() | old.keys()):
        if docno not in old:
            changes.append(PaperSwap(docno, new[docno]["title"], "added"))
        elif docno not in new:
            changes.append(PaperSwap(docno, old[docno]["title"], "removed"))
        elif new[docno]["facets"] != old[docno]["facets"]:
            facets = [" and ".join(rows[docno]["facets"]) for rows in (old, new)]
            changes.append(PaperSwap(docno, new[docno]["title"], f"{facets[0]} → {facets[1]}"))
    return changes
