"""The figures about aspects as lines of tables on the page. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from agreement.aspects.report import DIFFERENCE, MEASURES
from agreement.coefficients import NO_PAIRS, REGISTRY
from agreement.tables import in_words, signed_number

DECIMALS = {**{each.key: each.decimals for each in REGISTRY}, DIFFERENCE: 2}
Row = Mapping[str, Any]


class Cell(NamedTuple):
    """A number and its 95 % interval as texts; `text` is "" if it is undefined for the reason."""

    text: str
    interval: str
    reason: str = ""


class ComparedLine(NamedTuple):
    """The pairs that both judges marked, about the same aspect or about different ones."""

    caption: str
    pairs: int | None
    disagreements: int | None
    cells: list[Cell]


@dataclass(frozen=True)
class AspectPart:
    """The comparison for one facet, or for all of several."""

    row: Row
    name: str

    @property
    def lines(self) -> list[ComparedLine]:
        found = [
            ComparedLine(
                caption,
                self.row[key]["pairs"],
                self.row[key]["disagreements"],
                list(self._cells(key)),
            )
            for key, caption in (("same", "The same aspect"), ("different", "Different aspects"))
        ]
        cells = list(self._cells("difference"))
        return [*found, ComparedLine("The same minus different", None, None, cells)]

    def _cells(self, name: str) -> Iterator[Cell]:
        for key in MEASURES:
            cell = _cell(self.row["measures"][key][name], DECIMALS[key])
            yield cell if cell.text else cell._replace(reason=self._reason(name, key))

    def _reason(self, name: str, key: str) -> str:
        """The reason why a figure is undefined. The mean difference needs a pair."""
        if name not in self.row:
            return "undefined for the same aspect or for different ones"
        return in_words(self.row[name]["undefined"].get(key, NO_PAIRS))

    @property
    def pairs(self) -> int:
        return int(self.row["same"]["pairs"] + self.row["different"]["pairs"])

    @property
    def marked_disagreements(self) -> int:
        return int(self.row["same"]["disagreements"] + self.row["different"]["disagreements"])

    @property
    def share(self) -> Cell:
        """The share of the disagreements that are about different aspects, in percent."""
        return _percent(self.row["disagreements_share"])

    @property
    def pairs_share(self) -> Cell:
        return _percent(self.row["pairs_share"])


class SplitLine(NamedTuple):
    """A query proposed for splitting; `sentences` are numbers, texts and disagreements of each.

    Without sentences, it is not of a document, or its aspects have names.
    """

    query: str
    disagreements: int
    different: int
    low: float
    sentences: Sequence[tuple[int, str, int]]


def aspect_parts(summary: Row, names: Mapping[str, str]) -> list[AspectPart]:
    return [
        AspectPart(
            row,
            "All facets"
            if row["facet"] is None
            else names.get(row["facet"], row["facet"]) or "All queries",
        )
        for row in summary["facets"]
    ]


def _percent(figure: Row) -> Cell:
    ends = figure["interval"]
    return _cell(
        {
            "value": None if figure["value"] is None else 100 * figure["value"],
            "interval": ends and [100 * end for end in ends],
        },
        1,
    )


def _cell(figure: Row, decimals: int) -> Cell:
    value, ends = figure["value"], figure["interval"]
    interval = f"{_text(ends[0], decimals)} to {_text(ends[1], decimals)}" if ends else ""
    return Cell("" if value is None else _text(value, decimals), interval)


def _text(value: float, decimals: int) -> str:
    return signed_number(value, decimals)
