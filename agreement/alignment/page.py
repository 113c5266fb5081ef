"""The table and the file of the page on proposed grades. Nothing here computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agreement.alignment.figures import COEFFICIENTS, MEASURES, SECONDS
from agreement.tables import BY_KEY, signed_number
from web.tables.columns import Column, Table

Row = Mapping[str, Any]


@dataclass(frozen=True)
class ComparedMeasureLine:
    """A measure of both groups."""

    row: Row

    @property
    def name(self) -> str:
        key = self.row["measure"]
        return "Seconds per judgment" if key == SECONDS else BY_KEY[key].name

    @property
    def medians(self) -> list[str]:
        """With proposals before and after them, and without."""
        return [self._text(self.row[name]) for name in ("first", "with", "without")]

    @property
    def difference(self) -> str:
        return self._text(self.row["difference"], signed=True)

    @property
    def interval(self) -> str:
        ends = self.row["interval"]
        return " to ".join(self._text(end, signed=True) for end in ends) if ends else ""

    @property
    def p(self) -> str:
        p = self.row["p"]
        return "–" if p is None else "< .001" if p < 0.001 else f"{p:.3f}"

    @property
    def queries(self) -> str:
        return f"{self.row['queries_with']} + {self.row['queries_without']}"

    def _text(self, value: float | None, *, signed: bool = False) -> str:
        if value is None:
            return "–"
        key = self.row["measure"]
        text = signed_number(value, 1 if key == SECONDS else BY_KEY[key].decimals)
        return f"+{text}" if signed and value > 0 else text


def _value(part: str, key: str) -> Callable[[Row], object]:
    return lambda row: row[part].get(key)


ALIGNMENT: Table[Row] = Table(
    "alignment",
    [
        Column(
            "query",
            "Query",
            {
                "query": lambda row: row["query"],
                "block": lambda row: row["block"],
                "proposes": lambda row: "yes" if row["proposes"] else "no",
                "pairs": lambda row: row["pairs"],
            },
        ),
        *(Column(key, key, {key: _value("values", key)}) for key in MEASURES),
        *(
            Column(f"first_{key}", key, {f"first_{key}": _value("first", key)})
            for key in COEFFICIENTS
        ),
    ],
)
