"""The first rows of what an import read, for a check before anything is written. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TypedDict

ROWS = 10
LONGEST_CELL = 140  # characters


class RowTable(TypedDict):
    columns: list[str]
    rows: list[list[str]]


class FirstRows(TypedDict):
    """Part of the result of a check. The card of the job shows `first_rows` as a table."""

    dry_run: bool
    first_rows: RowTable


def first_rows(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> FirstRows:
    """The first of the rows. Columns without a value in them are left out."""
    cells = [[_short(cell) for cell in row] for row in islice(rows, ROWS)]
    used = [place for place in range(len(columns)) if any(row[place] for row in cells)]
    table: RowTable = {
        "columns": [columns[place] for place in used],
        "rows": [[row[place] for place in used] for row in cells],
    }
    return {"dry_run": True, "first_rows": table}


def _short(cell: object) -> str:
    text = "" if cell is None else str(cell)
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def as_text(check: FirstRows) -> str:
    """The first rows for a terminal, separated by tabs."""
    table = check["first_rows"]
    lines = ["\t".join(row) for row in (table["columns"], *table["rows"])]
    return "\n".join(["Nothing was changed. The first rows:", *lines])
