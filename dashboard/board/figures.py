"""The figures of the board: how far the queries are. Counts only, and no grade."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.db.models import Count, F, Q
from django.urls import reverse

from accounts.models import Collection
from annotation.models import PairCount
from dashboard.board.rows import OpenRow
from web.figure_panels import DoneOf, Series, columns, progress_cell
from web.figures import Figure, Key, Panel
from web.words import count_noun

# By the share of a query's pairs with both judgments. Without division, which could round to 100 %.
BANDS = {
    "0 %": Q(judged=0),
    "1–24": Q(judged__gt=0, quarters__lt=F("total")),
    "25–49": Q(quarters__gte=F("total"), quarters__lt=2 * F("total")),
    "50–74": Q(quarters__gte=2 * F("total"), quarters__lt=3 * F("total")),
    "75–99": Q(quarters__gte=3 * F("total"), judged__lt=F("total")),
    "100 %": Q(judged=F("total")),
}


def board_figures(collection: Collection, rows: Sequence[OpenRow]) -> Iterator[Figure]:
    """The progress of all open queries, and of those in these rows. One query."""
    yield progress_figure(progress_of(collection))
    if rows:
        yield queries_figure(rows, collection.slug)


def progress_of(collection: Collection) -> dict[str, int]:
    """The number of open queries in each band."""
    counts = PairCount.objects.filter(query__collection=collection, total__gt=0)
    counts = counts.annotate(quarters=4 * F("judged"))
    names = [f"band{number}" for number in range(len(BANDS))]
    bands = zip(names, BANDS.values(), strict=True)
    sums = counts.aggregate(**{name: Count("pk", filter=band) for name, band in bands})
    return {label: sums[name] for label, name in zip(BANDS, names, strict=True)}


def progress_figure(counts: dict[str, int]) -> Figure:
    queries = count_noun(sum(counts.values()), "open query", "open queries")
    return Figure(
        name="progress",
        title="Progress of all open queries",
        note="Queries by the percentage of their pairs with both judgments.",
        panels=[
            columns(
                queries,
                f"Of {queries}, {counts['0 %']:,} have no pair with both judgments "
                f"and {counts['100 %']:,} are judged.",
                list(counts),
                [Series("queries", ["done"], list(counts.values()))],
                texts=[f"{count:,}" for count in counts.values()],
            )
        ],
        head=("pairs with both judgments", "queries"),
        rows=list(counts.items()),
    )


def queries_figure(rows: Sequence[OpenRow], slug: str) -> Figure:
    progress = [(row, _progress(row)) for row in rows]
    return Figure(
        name="queries",
        title="Progress by query",
        note="The bars of a query, from above: slot 1, slot 2, settled cases.",
        panels=[_panel(row, bars, slug) for row, bars in progress],
        head=(
            *("query", "slot 1 judged", "slot 1 pairs", "slot 2 judged", "slot 2 pairs"),
            *("cases settled", "cases"),
        ),
        rows=[
            (row.query.name, *(number for bar in bars for number in (bar.done, bar.total)))
            for row, bars in progress
        ],
        keys=(Key("done", "done"), Key("rest", "to do")),
        same_table="board-rows",
    )


def _progress(row: OpenRow) -> list[DoneOf]:
    seats = [DoneOf(f"slot {seat.number}", *seat.judged) for seat in row.seats]
    return [*seats, DoneOf("cases settled", *row.cases)]


def _panel(row: OpenRow, progress: Sequence[DoneOf], slug: str) -> Panel:
    pool = reverse("pool", args=[slug, row.query.query_paper.name])
    return progress_cell(row.query.name, progress, pool)
