"""Agreement of each two annotators, and how each of them grades. Pure: values in, values out.

Only pairs with both judgments count. All of it is for admins: an annotator never learns how others
grade.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from adjudication.standing import LabelledPair, PairWithJudges, Standing
from agreement.coefficients import REGISTRY, Coefficient, CrossTable, Result
from corpus.scale import DEFAULT_SCALE, Scale

GradePair: TypeAlias = tuple[int | None, int | None]  # the grades of two annotators for a pair
JsonRow: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class ComparedGrades:
    """The pairs that two annotators both judged, counted by their two grades."""

    cells: Counter[GradePair]
    scale: Scale = field(default=DEFAULT_SCALE, kw_only=True)

    @property
    def table(self) -> CrossTable:
        return CrossTable(self.cells.items(), self.scale)

    @property
    def pairs(self) -> int:
        """Those with both grades."""
        return self.table.pairs

    @property
    def ungraded(self) -> int:
        """Those with both judgments that lack a grade."""
        return self.cells.total() - self.pairs

    @property
    def higher(self) -> int:
        """The pairs that the first one graded higher."""
        return sum(number for (own, other), number in self.table.counts.items() if own > other)

    @property
    def lower(self) -> int:
        return sum(number for (own, other), number in self.table.counts.items() if own < other)

    @property
    def mean_difference(self) -> float | None:
        """The mean of the first one's grade minus the second one's; None without a pair."""
        table = self.table
        total = sum((own - other) * number for (own, other), number in table.counts.items())
        return total / table.pairs if table.pairs else None

    def results(self, coefficients: Iterable[Coefficient] = REGISTRY) -> dict[str, Result]:
        table = self.table
        return {coefficient.key: coefficient.function(table) for coefficient in coefficients}


class JudgedCell(NamedTuple):
    """The facet, the judges, their grades and the adjudicator's grade that pairs have in common.

    `decided` is None where no decision gave a grade.
    """

    facet: str
    first_judge: int
    second_judge: int
    first: int | None
    second: int | None
    decided: int | None


class AnnotatorCounts:
    """The judged pairs of a collection, counted by what this module needs of them."""

    def __init__(self) -> None:
        self._cells: Counter[JudgedCell] = Counter()

    def reading(self, rows: Iterable[PairWithJudges]) -> Iterator[LabelledPair]:
        """The pairs without their judges, while they are counted."""
        for pair, first_judge, second_judge, *_ in rows:
            if first_judge is not None and second_judge is not None:
                decided = pair.final if pair.standing is Standing.ADJUDICATED else None
                self._cells[
                    JudgedCell(
                        *(pair.facet, first_judge, second_judge), pair.first, pair.second, decided
                    )
                ] += 1
            yield pair

    def as_json(self, facets: Iterable[str], scale: Scale) -> dict[str, list[JsonRow]]:
        """The agreement of each two annotators and of all, and the grading of each annotator.

        `overall` has a row for each facet, and one with the facet None for all of several.
        """
        seen = [facet for facet in facets if any(cell.facet == facet for cell in self._cells)]
        parts: list[str | None] = [*seen, *([None] if len(seen) > 1 else [])]
        return {
            "overall": [
                {"facet": facet, **_comparison(self._compared(facet, scale))} for facet in parts
            ],
            "pairs": [
                {"first": first, "second": second, **_comparison(compared)}
                for (first, second), cells in sorted(self._by_judges().items())
                for compared in [ComparedGrades(cells, scale=scale)]
            ],
            "annotators": [
                {"annotator": annotator, "facet": facet, **row}
                for facet in parts
                for annotator, row in sorted(self._grading(facet, scale).items())
            ],
        }

    def _of_facet(self, facet: str | None) -> Iterator[tuple[JudgedCell, int]]:
        return (
            (cell, number)
            for cell, number in self._cells.items()
            if facet is None or cell.facet == facet
        )

    def _compared(self, facet: str | None, scale: Scale) -> ComparedGrades:
        cells: Counter[GradePair] = Counter()
        for cell, number in self._of_facet(facet):
            cells[cell.first, cell.second] += number
        return ComparedGrades(cells, scale=scale)

    def _by_judges(self) -> Mapping[tuple[int, int], Counter[GradePair]]:
        """The grades of each two annotators, of whom the one with the lower id is first."""
        found: dict[tuple[int, int], Counter[GradePair]] = defaultdict(Counter)
        for cell, number in self._cells.items():
            seats = [(cell.first_judge, cell.first), (cell.second_judge, cell.second)]
            (one, grade), (other, other_grade) = sorted(seats, key=lambda seat: seat[0])
            found[one, other][grade, other_grade] += number
        return found

    def _grading(self, facet: str | None, scale: Scale) -> dict[int, JsonRow]:
        seats: dict[int, Counter[tuple[GradePair, int | None]]] = defaultdict(Counter)
        for cell, number in self._of_facet(facet):
            seats[cell.first_judge][(cell.first, cell.second), cell.decided] += number
            seats[cell.second_judge][(cell.second, cell.first), cell.decided] += number
        return {annotator: _grading_row(cells, scale) for annotator, cells in seats.items()}


def _comparison(compared: ComparedGrades) -> JsonRow:
    results = compared.results()
    return {
        "pairs": compared.pairs,
        "ungraded": compared.ungraded,
        **{key: result.value for key, result in results.items()},
        "undefined": {
            key: result.undefined for key, result in results.items() if result.undefined is not None
        },
    }


def _grading_row(cells: Counter[tuple[GradePair, int | None]], scale: Scale) -> JsonRow:
    """`decided` are the pairs with two unequal grades and the adjudicator's.

    In `sided` of them, the adjudicator's grade is the annotator's.
    """
    grades: Counter[GradePair] = Counter()
    decided = sided = 0
    for ((own, other), final), number in cells.items():
        grades[own, other] += number
        if own is not None and other is not None and own != other and final is not None:
            decided += number
            sided += number if final == own else 0
    compared = ComparedGrades(grades, scale=scale)
    by_grade: Counter[int | None] = Counter()
    for (own, _), number in grades.items():
        by_grade[own] += number
    return {
        "grades": [by_grade[grade] for grade in scale.grades],
        "ungraded": by_grade[None],
        "decided": decided,
        "sided": sided,
        "pairs": compared.pairs,
        "higher": compared.higher,
        "lower": compared.lower,
        "difference": compared.mean_difference,
    }
