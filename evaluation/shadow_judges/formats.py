"""Reads the labels of a model: TREC qrels or JSON lines, plain or gzip. Pure.

A qrels line has four columns (query, iteration, docno, grade), or BEIR's three (query-id,
corpus-id, score) below a header. A JSON line is an object with "query", "docno" and "grade".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from corpus.formats.decompression import Meter, UnreadableLine, numbered_lines

LONGEST_LINE = 65_536  # bytes; limits what is read of a binary file without line ends
KEYS = ("query", "docno", "grade")


class LabelLine(NamedTuple):
    """A label and the number of its line, from 1."""

    number: int
    query: str
    docno: str
    grade: int


class LabelFormatError(ValueError):
    """A file of labels cannot be read. `line` counts from 1; it is None for the whole file."""

    def __init__(self, file: str, line: int | None, problem: str) -> None:
        self.file, self.line, self.problem = file, line, problem
        super().__init__(f"{file}: {problem}" if line is None else f"{file}:{line}: {problem}")


def read_labels(
    source: str | Path | BinaryIO, *, name: str, highest: int, meter: Meter | None = None
) -> Iterator[LabelLine]:
    """Yield the labels of a file; the first line that is not blank tells which format it is.

    `highest` is the highest grade of the collection; the lowest is 0. Errors use `name` for the
    file. Raises LabelFormatError for an invalid line, a grade outside the scale, damaged gzip data,
    more bytes than the meter allows, and a file without labels.
    """
    is_json: bool | None = None
    is_empty = True
    try:
        for number, line in numbered_lines(source, meter, longest=LONGEST_LINE):
            columns = line.split()
            if not columns:
                continue
            if len(line) > LONGEST_LINE:
                raise _InvalidLabel(
                    f"longer than {LONGEST_LINE:,} bytes. Use one line for each label."
                )
            is_header = is_json is None and columns[0] == b"query-id"
            if is_json is None:
                is_json = columns[0].startswith(b"{")
            if is_header:
                continue
            is_empty = False
            query, docno, grade = _of_json(line) if is_json else _of_columns(columns)
            yield LabelLine(number, query, docno, _on_scale(grade, highest))
    except _InvalidLabel as error:
        raise LabelFormatError(name, number, str(error)) from error
    except UnreadableLine as error:
        raise LabelFormatError(name, error.number, error.reason) from error
    if is_empty:
        raise LabelFormatError(name, None, "The file has no labels. Write at least one line.")


class _InvalidLabel(ValueError):
    """An invalid line of the file. The message says how to fix it."""


def _of_columns(columns: list[bytes]) -> tuple[str, str, int]:
    if len(columns) not in (3, 4):
        raise _InvalidLabel(
            f"A line must have 4 columns (query, 0, docno, grade), got {len(columns)}. "
            'Or write JSON lines: {"query": "q1", "docno": "d1", "grade": 2}.'
        )
    query, *_, docno, grade = map(_text, columns)
    if not re.fullmatch(r"[+-]?[0-9]{1,9}", grade):
        raise _InvalidLabel(f'The grade must be a whole number such as 2, got "{grade}".')
    return query, docno, int(grade)


def _of_json(line: bytes) -> tuple[str, str, int]:
    try:
        record = json.loads(_text(line))
    except ValueError as error:
        raise _InvalidLabel(f"Invalid JSON ({error}). Write one object on each line.") from error
    if not isinstance(record, dict):
        raise _InvalidLabel('A line must be an object with "query", "docno" and "grade".')
    missing = [key for key in KEYS if key not in record]
    if missing:
        raise _InvalidLabel(
            f'"{missing[0]}" is missing. A line needs "query", "docno" and "grade".'
        )
    query, docno, grade = (record[key] for key in KEYS)
    for key, value in (("query", query), ("docno", docno)):
        if not isinstance(value, str) or not value:
            raise _InvalidLabel(
                f'"{key}" must be an id in quotation marks, got {json.dumps(value)}.'
            )
    if type(grade) is not int:  # a bool is an int too
        raise _InvalidLabel(f'"grade" must be a whole number such as 2, got {json.dumps(grade)}.')
    return query, docno, grade


def _text(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise _InvalidLabel(f"Not UTF-8 ({error.reason}). Save the file as UTF-8.") from error


def _on_scale(grade: int, highest: int) -> int:
    if not 0 <= grade <= highest:
        raise _InvalidLabel(
            f"The grade must be from 0 to {highest}, as in this collection, got {grade}. "
            "Convert the grades, or remove the line."
        )
    return grade
