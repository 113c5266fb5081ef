"""The filters and columns of the table of runs."""

from __future__ import annotations

from retrieval.run_rows import RunRow
from web.tables.columns import Column, Table
from web.tables.filters import Filter, FilterChoice, Test


def _skipped(row: RunRow) -> str:
    return ", ".join(f"{skipped.number} {skipped.why}" for skipped in (*row.skipped, *row.topics))


RUNS: Table[RunRow] = Table(
    "runs",
    [
        Column("run", "Run", {"run": lambda row: row.run.name, "kind": lambda row: row.run.kind}),
        Column("origin", "Made by", {"made_by": lambda row: row.origin}),
        Column("lists", "Lists", {"lists": lambda row: row.lists}),
        Column("depth", "Depth", {"depth": lambda row: row.run.depth}),
        Column("skipped", "Skipped", {"skipped": _skipped}),
        Column("made", "Made", {"created_at": lambda row: row.run.created_at.isoformat()}),
    ],
)
RUN_FILTERS: list[Filter[Test[RunRow]]] = [
    Filter(
        "kind",
        "Kind",
        [
            FilterChoice("built-in", "Built-in", lambda row: not row.run.is_imported),
            FilterChoice("imported", "Imported", lambda row: row.run.is_imported),
        ],
    )
]
