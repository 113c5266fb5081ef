"""Documents in tables: TSV and CSV, with or without a header line. Pure.

`columns` says which column holds what: `{"docno": "id", "abstract": "3"}`. A value is a name in the
header line, or a number from 1 if there is no header.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple

from corpus.formats.decompression import Meter
from corpus.formats.document_lines import (
    LONGEST_LINE,
    DocumentFormatError,
    DocumentValues,
    FileItem,
    Problem,
    decoded,
    file_lines,
)

# The fields that a column can hold, and the names that headers use for them.
COLUMN_NAMES = {
    "docno": ("docno", "doc_no", "id", "_id", "doc_id", "docid", "pid", "paper_id", "corpus_id"),
    "title": ("title", "headline"),
    "abstract": ("abstract", "text", "body", "contents", "content", "passage"),
    "year": ("year", "publication_year"),
    "venue": ("venue", "journal"),
    "authors": ("authors", "author"),
    "references": ("references", "referenced_works", "outbound_citations", "cites"),
    "fields": ("fields", "fields_of_study"),
    "language": ("language", "lang"),
}
# What separates the items of lists, if the mapping names nothing else.
SEPARATOR = "separator"
DEFAULT_SEPARATOR = ";"
SEPARATORS = {"comma": ",", "space": " ", "equals": "="}  # which a mapping cannot hold
# The columns of a TSV file without a header, by their number. Four are MS MARCO's documents.
WITHOUT_HEADER: Mapping[int, Mapping[str, int]] = {
    2: {"docno": 0, "abstract": 1},
    3: {"docno": 0, "title": 1, "abstract": 2},
    4: {"docno": 0, "title": 2, "abstract": 3},
}
csv.field_size_limit(LONGEST_LINE)  # of the whole process; the default is 128 kB


class ColumnError(ValueError):
    """A mapping of columns cannot be read; the message says why."""


class _Layout(NamedTuple):
    places: Mapping[str, int]  # the column of each value, from 0
    header: Sequence[str]  # () if the first line is a document
    width: int


def parse_columns(text: str) -> dict[str, str]:
    """The mapping that a person writes: "docno=id, text=body". Raises ColumnError.

    `separator` is not a column. It is what separates the items of authors, references and fields: a
    text, or a name of SEPARATORS.
    """
    columns: dict[str, str] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        key, equals, name = (part.strip() for part in item.partition("="))
        key = "abstract" if key == "text" else key
        if not equals or not name or key not in (*COLUMN_NAMES, SEPARATOR):
            raise ColumnError(
                f"{item!r} names no column. Write VALUE=COLUMN, such as docno=id; a value is "
                f"one of {', '.join(COLUMN_NAMES)}, or {SEPARATOR}."
            )
        if key in columns:
            raise ColumnError(f"{key} has two columns, {columns[key]} and {name}. Give one.")
        columns[key] = name
    return columns


def read_table(
    source: Path | BinaryIO, name: str, meter: Meter, columns: Mapping[str, str], *, comma: bool
) -> Iterator[FileItem]:
    """The rows of a file. Blank lines are skipped.

    A CSV file (`comma`) has quoted values, separated by semicolons if its first line has more of
    them than commas. In a TSV file a quotation mark is an ordinary character.

    Raises:
        DocumentFormatError: the file cannot be read, is empty, or has no column for the docno.
    """
    layout: _Layout | None = None
    columns = dict(columns)
    separator = columns.pop(SEPARATOR, DEFAULT_SEPARATOR)
    separator = SEPARATORS.get(separator, separator)
    for number, row in _rows(source, name, meter, comma=comma):
        if isinstance(row, Problem):
            yield FileItem(number, row)
            continue
        if layout is None:
            layout = _mapped(row, columns, name, number) if columns else _named(row, comma)
            if layout is None:
                raise DocumentFormatError(name, number, f"no column has the docno. {_advice(row)}")
            if layout.header:
                continue
        unknown = tuple(
            sorted({*layout.header} - {layout.header[place] for place in layout.places.values()})
            if layout.header
            else ()
        )
        yield FileItem(number, _content(row, layout, separator), unknown)
    if layout is None:
        raise DocumentFormatError(name, None, "the file has no documents. Write one per line.")


read_tsv = partial(read_table, comma=False)
read_csv = partial(read_table, comma=True)


def _rows(
    source: Path | BinaryIO, name: str, meter: Meter, *, comma: bool
) -> Iterator[tuple[int, list[str] | Problem]]:
    """The line and the values of each row, or its problem."""
    lines = file_lines(source, name, meter)
    if not comma:
        for number, line in lines:
            try:
                text = decoded(line).rstrip("\r\n")
            except Problem as problem:
                yield number, problem
                continue
            if text.strip():
                yield number, text.split("\t")
        return
    header = next(lines, (1, b""))
    semicolon = header[1].count(b";") > header[1].count(b",")
    texts = (_csv_line(name, *line) for line in chain([header], lines))
    reader = csv.reader(texts, delimiter=";" if semicolon else ",", strict=True)
    number = 1
    try:
        for row in reader:
            if any(row):
                yield number, row
            number = reader.line_num + 1
    except csv.Error as error:
        raise DocumentFormatError(
            name, number, f"not CSV ({error}). Close the quotation marks of this row."
        ) from error


def _csv_line(name: str, number: int, line: bytes) -> str:
    """A quoted value may continue on the next line, so an unreadable line stops the file."""
    try:
        return decoded(line)
    except Problem as problem:
        raise DocumentFormatError(name, number, str(problem)) from problem


def _named(row: list[str], comma: bool) -> _Layout | None:
    """The layout that a header line or, in TSV, the number of columns shows; None without one."""
    header = [cell.strip() for cell in row]
    lower = [cell.lower() for cell in header]
    places = {
        key: next(lower.index(alias) for alias in names if alias in lower)
        for key, names in COLUMN_NAMES.items()
        if any(alias in lower for alias in names)
    }
    if "docno" in places:
        return _Layout(places, header, len(row))
    without_header = None if comma else WITHOUT_HEADER.get(len(row))
    return _Layout(without_header, (), len(row)) if without_header else None


def _mapped(row: list[str], columns: Mapping[str, str], name: str, number: int) -> _Layout:
    """Raises DocumentFormatError if a named column does not exist, or none is named for docno."""
    header = [cell.strip() for cell in row]
    if "docno" not in columns:
        raise DocumentFormatError(name, number, "the columns name none for docno. Add docno=…")
    if all(column in header for column in columns.values()):
        places = {key: header.index(column) for key, column in columns.items()}
        return _Layout(places, header, len(header))
    unknown = [column for column in columns.values() if not _is_number(column, len(header))]
    if unknown:
        raise DocumentFormatError(
            name, number, f"there is no column {unknown[0]!r}. {_advice(header)}"
        )
    places = {key: int(column) - 1 for key, column in columns.items()}
    return _Layout(places, (), len(header))


def _is_number(column: str, width: int) -> bool:
    return column.isascii() and column.isdigit() and 1 <= int(column) <= width


def _advice(header: list[str]) -> str:
    names = ", ".join(cell if len(cell) <= 30 else f"{cell[:29]}…" for cell in header[:10])
    return (
        f"The first line has {names}. Say which column is which, as in docno=id,title=name,text=3."
    )


def _content(row: list[str], layout: _Layout, separator: str) -> DocumentValues | Problem:
    if len(row) != layout.width:
        return Problem(
            f"the row must have {layout.width} columns as the first line has, got {len(row)}."
        )
    values = {key: row[place].strip() for key, place in layout.places.items()}
    year = values.get("year", "")
    return {
        "docno": values["docno"],
        "title": values.get("title", ""),
        "abstract": values.get("abstract", ""),
        "year": int(year) if year.isascii() and year.isdigit() else (year or None),
        "venue": values.get("venue", ""),
        "language": values.get("language", ""),
        "authors": _items(values.get("authors", ""), separator),
        "references": _items(values.get("references", ""), separator),
        "fields": _items(values.get("fields", ""), separator),
    }


def _items(value: str, separator: str) -> list[str]:
    return [item for part in value.split(separator) if (item := part.strip())]
