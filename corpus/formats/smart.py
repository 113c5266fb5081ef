"""SMART collections, such as CISI, CACM, MED and Cranfield: documents and topics. Pure.

A record begins with `.I 1`. Its fields begin with a line of a dot and a letter: `.T` title, `.A`
authors, `.B` where it was published, `.W` text. Other fields are left out and named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
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
    too_long,
)

START = re.compile(rb"\.I[ \t]+\S")
_ZERO = re.compile(rb"0(?:\.0{1,9})?")
_ID = re.compile(r"\.I\s+(\S+)\s*")
_FIELD = re.compile(r"\.([A-Z])\s*")
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")
USED = frozenset("TABW")
TITLE = "SMART: records with .I, .T, .A, .B and .W, such as CISI"


class SmartRecord(NamedTuple):
    """A record: its first line, its id, the lines of each field, and its problem, or ""."""

    line: int
    identifier: str
    fields: dict[str, list[str]]
    problem: str = ""

    def text(self, field: str) -> str:
        return " ".join(" ".join(self.fields.get(field, ())).split())

    @property
    def ignored(self) -> tuple[str, ...]:
        return tuple(sorted(f".{field}" for field in self.fields.keys() - USED))


def read_smart(
    source: Path | BinaryIO, name: str, meter: Meter, columns: Mapping[str, str]
) -> Iterator[FileItem]:
    """The documents of a file, with the line of each `.I`.

    Raises:
        DocumentFormatError: the file cannot be read, does not begin with `.I`, or has no records.
    """
    for record in read_records(source, name, meter):
        content = Problem(record.problem) if record.problem else _content(record)
        yield FileItem(record.line, content, record.ignored)


def read_records(source: Path | BinaryIO, name: str, meter: Meter) -> Iterator[SmartRecord]:
    """Yield the records of a file. Raises DocumentFormatError as `read_smart`."""
    record: SmartRecord | None = None
    field, size = "", 0
    for number, line in file_lines(source, name, meter):
        try:
            text = decoded(line).rstrip()
        except Problem as problem:
            if record is None:
                raise DocumentFormatError(name, number, str(problem)) from problem
            record = record._replace(problem=f"line {number} is {problem}")
            continue
        size += len(line)
        if start := _ID.fullmatch(text):
            if record is not None:
                yield record
            record, field, size = SmartRecord(number, plain_id(start[1]), {}), "", 0
        elif not text:
            continue
        elif record is None:
            raise DocumentFormatError(
                name, number, "the file does not begin with a record. Begin each with .I and an id."
            )
        elif size > LONGEST_LINE:
            record = record._replace(problem=str(too_long("the record")))
        elif found := _FIELD.fullmatch(text):
            field = found[1]
            record.fields.setdefault(field, [])
        elif not field:
            reason = f"line {number} is in no field. Begin each field with a line such as .W."
            record = record._replace(problem=reason)
        else:
            record.fields[field].append(text)
    if record is None:
        raise DocumentFormatError(name, None, "the file has no records. Begin each with .I.")
    yield record


def is_judgment(row: Sequence[bytes]) -> bool:
    """Return whether a line has the columns of its judgments: topic, docno, 0, 0.000000."""
    return len(row) == 4 and row[2] == b"0" and bool(_ZERO.fullmatch(row[3]))


def plain_id(identifier: str) -> str:
    """Without leading zeros, which the judgments of a collection have and its documents do not."""
    return (identifier.lstrip("0") or "0") if identifier.isdecimal() else identifier


def _content(record: SmartRecord) -> DocumentValues:
    """The object of docs/formats.md for a document."""
    venue = record.text("B")
    years = set(_YEAR.findall(venue))
    return {
        "docno": record.identifier,
        "title": record.text("T"),
        "abstract": record.text("W"),
        "authors": [name for line in record.fields.get("A", ()) if (name := line.strip())],
        "venue": venue,
        "year": int(years.pop()) if len(years) == 1 else None,
    }
