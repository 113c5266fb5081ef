"""The columns with the grades of a pair, in the tables of a query and of a document."""

from __future__ import annotations

from typing import Any

from adjudication.pair_details import PairDetails
from web.tables.columns import Column


class GradedRow:
    """A row of either table. `pair` is None before both judgments, and without a query."""

    pair: PairDetails | None

    @property
    def final(self) -> int | None:
        return self.pair.final if self.pair else None

    def slot(self, number: int) -> int | None:
        return self.pair.answers[number - 1].grade if self.pair else None

    def standing_unless(self, excluded: str) -> str:
        """`excluded` is the reason why the candidate is not judged, "" if it is."""
        if excluded:
            return "not judged"
        return self.pair.standing.value if self.pair else "unjudged"


def _slot_column(number: int) -> Column[Any]:
    value = {f"slot_{number}": lambda row: row.slot(number)}
    return Column(f"slot{number}", f"Slot {number}", value)


GRADE_COLUMNS: tuple[Column[Any], ...] = (
    _slot_column(1),
    _slot_column(2),
    Column(
        "final", "Final", {"final": lambda row: row.final, "standing": lambda row: row.standing}
    ),
)
