"""Files of gold: the known grade of each pair, as CSV or JSON Lines. Pure."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from web.requests.storable_text import find_unstorable
from web.tables.csv_cells import restored

FIELDS = ("query", "docno", "grade", "explanation")
LONGEST_EXPLANATION = 4_000
MOST_BYTES = 4 * 1024 * 1024  # of a file: a thousand pairs with the longest explanations


class GoldLine(NamedTuple):
    """A pair with its known grade. `place` is "file:line"."""

    place: str
    query: str
    docno: str
    grade: int
    explanation: str


class BadGold(ValueError):
    """Lines of the file are invalid. `problems` has each with its place, field and remedy."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def read_gold(content: bytes, *, name: str, highest_grade: int) -> list[GoldLine]:
    """The lines of the file. Raises BadGold for all invalid lines together."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadGold([f"{name}:{line}: not UTF-8. Save the file as UTF-8."]) from error
    lines: list[GoldLine] = []
    problems: list[str] = []
    places: dict[tuple[str, str], str] = {}
    for number, record in _records(text):
        place = f"{name}:{number}"
        try:
            gold = _line(place, record, highest_grade)
            earlier = places.setdefault((gold.query, gold.docno), place)
            if earlier != place:
                raise _Invalid(
                    f'"query" and "docno" are those of {earlier}. Remove one of the two lines.'
                )
        except _Invalid as error:
            problems.append(f"{place}: {error}")
        else:
            lines.append(gold)
    if not lines and not problems:
        problems.append(f"{name}: it has no pair. Write the fields {', '.join(FIELDS)}.")
    if problems:
        raise BadGold(problems)
    return lines


class _Invalid(ValueError):
    """A record is invalid; the message names the field, the fault and the remedy."""


def _records(text: str) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    """Each record with the number of its line; the fault in words for a line that is none."""
    if text.lstrip()[:1] == "{":
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield number, _json_record(line)
        return
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [cell.strip() for cell in next(rows, [])]
        if missing := [field for field in FIELDS[:3] if field not in header]:
            yield 1, f"the header lacks {', '.join(missing)}. Write {','.join(FIELDS)}."
            return
        for cells in rows:
            if any(cells):
                yield rows.line_num, _csv_record(header, cells)
    except csv.Error as error:
        yield rows.line_num, f"not CSV: {error}. Put texts with quotes or commas in quotes."


def _json_record(line: str) -> Mapping[str, Any] | str:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return "not JSON. Write one object a line."
    return record if isinstance(record, dict) else "not an object. Write one object a line."


def _csv_record(header: list[str], cells: list[str]) -> Mapping[str, Any] | str:
    if len(cells) != len(header):
        return f"{len(cells)} cells, but the header has {len(header)}. Put commas in quotes."
    return {field: restored(cell) for field, cell in zip(header, cells, strict=True)}


def _line(place: str, record: Mapping[str, Any] | str, highest_grade: int) -> GoldLine:
    if isinstance(record, str):
        raise _Invalid(record)
    explanation = _text(record, "explanation", LONGEST_EXPLANATION, is_required=False)
    return GoldLine(
        place,
        _text(record, "query", 240),
        _text(record, "docno", 200),
        _grade(record.get("grade"), highest_grade),
        explanation,
    )


def _text(record: Mapping[str, Any], field: str, longest: int, *, is_required: bool = True) -> str:
    value = record.get(field)
    if value is None:
        value = ""
    if not isinstance(value, str):
        raise _Invalid(f'"{field}" must be text, got {json.dumps(value)[:40]}.')
    value = value.strip()
    if is_required and not value:
        raise _Invalid(f'"{field}" is missing. Write it in every line.')
    if len(value) > longest:
        raise _Invalid(f'"{field}" has {len(value):,} characters. Shorten it to {longest:,}.')
    if fault := find_unstorable(value):
        raise _Invalid(f'"{field}" contains the character {fault}. Remove it.')
    return value


def _grade(value: Any, highest_grade: int) -> int:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    is_digit = isinstance(value, str) and value.strip() in "01234" and len(value.strip()) == 1
    grade = int(value) if is_number or is_digit else -1
    if not 0 <= grade <= highest_grade:
        shown = json.dumps(value, ensure_ascii=False)[:40]
        raise _Invalid(f'"grade" must be a whole number from 0 to {highest_grade}, got {shown}.')
    return grade
