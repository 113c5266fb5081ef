"""The filters and columns of the table of one pool's candidates."""

from __future__ import annotations

from collections.abc import Iterable

from pooling.tables.candidates import CandidateRow
from web.tables.columns import Column, Table
from web.tables.filters import Filter, FilterChoice, Test

CANDIDATES: Table[CandidateRow] = Table(
    "candidates",
    [
        Column(
            "title",
            "Title",
            {
                "docno": lambda row: row.docno,
                "title": lambda row: row.title,
                "not_judged": lambda row: row.excluded,
            },
        ),
        Column("position", "Drawn", {"position": lambda row: row.position}),
        Column(
            "drawer",
            "Drawn by",
            {"drawn_by": lambda row: row.drawer.source if row.drawer else ""},
        ),
        Column("rank", "At rank", {"rank": lambda row: row.drawer.rank if row.drawer else None}),
        Column("sources", "Sources", {"sources": lambda row: row.sources}),
        Column("inclusion", "Probability, of samples", {"inclusion": lambda row: row.inclusion}),
        Column(
            "others",
            "Also found by",
            {"also_found_by": lambda row: " ".join(each.source for each in row.others)},
        ),
    ],
)


def candidate_filters(rows: Iterable[CandidateRow]) -> list[Filter[Test[CandidateRow]]]:
    """By the source that drew a candidate, and by whether it is judged."""
    rows = list(rows)
    drawers = sorted({row.drawer.source for row in rows if row.drawer})
    excluded = FilterChoice[Test[CandidateRow]]("yes", "Not judged", lambda row: bool(row.excluded))
    return [
        Filter("drawer", "Drawn by", [_drawn_by(source) for source in drawers]),
        Filter("excluded", "State", [excluded] if any(row.excluded for row in rows) else []),
    ]


def _drawn_by(source: str) -> FilterChoice[Test[CandidateRow]]:
    return FilterChoice(
        source, source, lambda row: row.drawer is not None and row.drawer.source == source
    )
