"""The judgments and decisions of a release as records again, checked. Pure.

Records come in the order of their file, which the release sorts.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from annotation.aspects import NOTHING_MARKED, InvalidAspects, parse_aspects
from bundle.label_errors.rates import JudgedLabel
from bundle.names import (
    ADJUDICATIONS,
    RATINGS,
)
from bundle.reading.fields import HIGHEST_GRADE
from bundle.reading.opened import (
    BundleError,
    OpenedBundle,
    whole_lines,
)
from bundle.records import Adjudication, Rating
from web.tables.csv_cells import restored

LONGEST_ROW = 1024 * 1024  # characters of a row of a CSV file, which can have many lines
LONGEST_NUMBER = 20  # digits of a cell


Cell = Callable[[str], Any]  # gives the value of a cell, or raises WrongCell
CELLS_KEPT = 1024


class WrongCell(ValueError):
    """A cell is not what it must be, such as `a number`."""


def _whole(most: int, *, least: int = 0) -> Cell:
    # The same few numbers stand in half a million rows.
    @lru_cache(CELLS_KEPT)
    def read(cell: str) -> int:
        is_whole = cell.isascii() and cell.isdigit() and len(cell) <= LONGEST_NUMBER
        if not (is_whole and least <= int(cell) <= most):
            raise WrongCell(f"a whole number from {least} to {most}")
        return int(cell)

    return read


def _grade(cell: str) -> int | None:
    return _number_of_grade(cell) if cell else None


_number_of_grade = _whole(HIGHEST_GRADE)


def _number(cell: str) -> float | None:
    if not cell:
        return None
    try:
        number = float(cell)
    except ValueError:
        raise WrongCell("a number") from None
    if not math.isfinite(number):
        raise WrongCell("a number")
    return number


def _truth(cell: str) -> bool:
    if cell not in ("true", "false"):
        raise WrongCell("true or false")
    return cell == "true"


@lru_cache(CELLS_KEPT)
def _aspects(cell: str) -> str:
    try:
        parse_aspects(cell)
    except InvalidAspects as error:
        raise WrongCell(str(error)) from None
    return cell


RATING_CELLS: dict[str, Cell] = {
    "query": restored,
    "facet": restored,
    "docno": restored,
    "slot": _whole(2, least=1),
    "annotator": restored,
    "grade": _grade,
    "reason": restored,
    "sequence": _whole(32_767, least=1),
    "seconds": _number,
    "presentation_digest": restored,
    "guideline": _whole(32_767, least=1),
    "aspects": _aspects,
}
OPTIONAL = {"pool_round": _whole(32_767, least=1)}  # only with a second pool round
ADJUDICATION_CELLS: dict[str, Cell] = {
    "query": restored,
    "facet": restored,
    "docno": restored,
    "adjudicator": restored,
    "grade": _grade,
    "reason": restored,
    "first": _grade,
    "second": _grade,
    "overruled": _truth,
}

SAMPLED_LABEL_CELLS: dict[str, Cell] = {
    "query": restored,
    "docno": restored,
    "field": restored,
    "type": restored,
    "label": _whole(1),
    "grade": _grade,
    "judges": _whole(3, least=2),
}


def read_ratings(bundle: OpenedBundle) -> Iterator[tuple[int, Rating]]:
    """Line and judgment, by query, docno and slot; none in a release without their file."""
    for line, values in _rows(bundle, RATINGS, RATING_CELLS, OPTIONAL):
        rating = Rating(*values)
        if rating.aspects not in ("", NOTHING_MARKED) and not rating.grade:
            raise BundleError(RATINGS, line, "aspects go with a grade above 0 only.")
        yield line, rating


def read_adjudications(bundle: OpenedBundle) -> Iterator[tuple[int, Adjudication]]:
    """Line and decision, by query and docno; none in a release without their file."""
    for line, values in _rows(bundle, ADJUDICATIONS, ADJUDICATION_CELLS):
        yield line, Adjudication._make(values)


def read_sampled_labels(bundle: OpenedBundle, name: str) -> Iterator[tuple[int, JudgedLabel]]:
    """Line and pair of a judged sample of citation labels."""
    for line, values in _rows(bundle, name, SAMPLED_LABEL_CELLS):
        yield line, JudgedLabel._make(values)


class _CsvLines:
    """The lines of a CSV file for the csv module.

    It reads a row, which can have any number of lines and cells, as a whole. So a row has a limit.
    """

    def __init__(self, bundle: OpenedBundle, name: str) -> None:
        self._lines, self._name = whole_lines(bundle, name), name
        self._length = 0

    def __iter__(self) -> Iterator[str]:
        for number, line in self._lines:
            self._length += len(line)
            if self._length > LONGEST_ROW:
                reason = f"the row has more than {LONGEST_ROW:,} characters."
                raise BundleError(self._name, number, reason)
            yield line

    def end_row(self) -> None:
        self._length = 0


def _rows(
    bundle: OpenedBundle,
    name: str,
    columns: Mapping[str, Cell],
    optional: Mapping[str, Cell] = MappingProxyType({}),
) -> Iterator[tuple[int, list[Any]]]:
    """Line and values of the rows of a CSV file with these columns, in any order, and others.

    The values of optional columns follow, if the file has them.
    """
    if name not in bundle.names:
        return
    lines = _CsvLines(bundle, name)
    reader = csv.reader(lines, strict=True)
    try:
        header = next(reader, [])
        missing = [column for column in columns if column not in header]
        if missing:
            raise BundleError(name, 1, f"has no column {missing[0]}.")
        columns = {
            **columns,
            **{column: read for column, read in optional.items() if column in header},
        }
        places = [(read, header.index(column)) for column, read in columns.items()]
        for cells in reader:
            lines.end_row()
            if len(cells) != len(header):
                raise BundleError(
                    name, reader.line_num, f"has {len(cells)} cells, not {len(header)}."
                )
            try:
                values = [read(cells[place]) for read, place in places]
            except WrongCell:
                _check_cells(name, reader.line_num, header, cells, columns)
                raise
            yield reader.line_num, values
    except csv.Error as error:
        raise BundleError(name, reader.line_num, f"is not valid CSV ({error}).") from error


def _check_cells(
    file: str, line: int, header: list[str], cells: list[str], columns: Mapping[str, Cell]
) -> None:
    """Raise BundleError for the first wrong cell."""
    for column, read in columns.items():
        cell = cells[header.index(column)]
        try:
            read(cell)
        except WrongCell as wanted:
            reason = f"{column} must be {wanted}, got {cell[:60]!r}."
            raise BundleError(file, line, reason) from None
