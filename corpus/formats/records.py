"""What every format comes down to: a record's line, and its values by the names that the file gives them. Pure.

Documents and topics are read from the same formats; each gives the names that it knows (`Names`).
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any, NamedTuple

from corpus.formats.markup import tagged_records
from corpus.formats.reading import LONGEST, TextFile
from web.errors import BadInput

Record = tuple[int, dict[str, Any]]

csv.field_size_limit(LONGEST)  # the default is 128 kB
LOOKED_AT = 20  # lines
STREAM = re.compile(r"\[\s*(?:[{\]]|\Z)|\{\s*\Z")  # a table may begin with "[", too
BLANK = re.compile(r"[\s,]*")
SMART_ID = re.compile(r"\.I\s+(\S+)\s*")
SMART_FIELD = re.compile(r"\.([A-Z])\s*")


class Names(NamedTuple):
    """What one kind of record, documents or topics, is called in each format."""

    one: str
    id: str  # the field that holds the id
    fields: Mapping[str, tuple[str, ...]]  # field: its names as keys and columns, in lower case, the best one first
    elements: str  # its tags, "doc|document"
    tags: Mapping[str, str]  # tag in a record: field
    columns: Mapping[int, tuple[str, ...]]  # number of columns without a header: their fields
    smart: Mapping[str, str]  # letter of SMART: field

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(self.fields[self.id])


def read_records(file: TextFile, names: Names) -> Iterator[Record]:
    """The records of a file, in the format of the first of its lines that shows one."""
    lines = file.lines()
    head = [each for each in islice(lines, LOOKED_AT) if each[1].strip()]
    kind = next(filter(None, (format_of(text, file.name) for _, text in head)), "")
    rest = chain(head, lines)
    if kind == "object":
        yield from json_lines(file, rest)
    elif kind == "stream":
        yield from json_stream(file, rest)
    elif kind == "tags":
        yield from tagged_records(file, rest, names.elements, names.tags)
    elif kind == "smart":
        yield from smart_records(file, rest, names)
    elif kind == "\t":
        rows = ((number, text.rstrip("\r\n").split("\t")) for number, text in rest)
        yield from table(file, rows, names, names.columns)
    elif kind:
        yield from table(file, csv_rows(file, rest, kind), names, {})
    elif head:
        raise BadInput(f"{file.name} is in no known format: JSON, CSV, TSV, TREC or SMART.")


def format_of(line: str, name: str) -> str:
    """One of "object", "stream", "tags" and "smart", or what separates columns; "" if the line shows no format."""
    start = line.lstrip()
    if STREAM.match(start):
        return "stream"
    if start[0] == "{":
        return "object"
    if SMART_ID.match(line):
        return "smart"
    if start[0] == "<":
        return "tags"
    separators = ",;\t" if name.endswith((".csv", ".csv.gz")) else "\t,;"
    return next((each for each in separators if each in line), "")


def json_lines(file: TextFile, lines: Iterator[tuple[int, str]]) -> Iterator[Record]:
    for number, line in lines:
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:  # also a number of 5,000 digits, and 10,000 brackets
            reason = f"{error.msg} at column {error.colno}" if isinstance(error, json.JSONDecodeError) else error
            file.bad(number, f"not JSON ({reason}). Write one object a line.")
            continue
        if isinstance(value, dict):
            yield number, value
        else:
            file.bad(number, f"must be a JSON object, got {excerpt(value)}.")


def json_stream(file: TextFile, lines: Iterator[tuple[int, str]]) -> Iterator[Record]:
    """The objects of an array, or objects over several lines, each with its first line. Only one is in memory."""
    decode = json.JSONDecoder().raw_decode
    number, buffer = next(lines)
    buffer = buffer.lstrip()
    is_array = buffer.startswith("[")
    place = int(is_array)
    while True:
        gap = BLANK.match(buffer, place)
        assert gap is not None  # it matches nothing, too
        number += buffer.count("\n", place, gap.end())
        place = gap.end()
        if is_array and buffer.startswith("]", place):
            if buffer[place + 1 :].strip() or any(text.strip() for _, text in lines):
                raise BadInput(f"{file.name}:{number}: text follows the end of the array. Remove it.")
            return
        try:
            value, end = decode(buffer, place)
        except (ValueError, RecursionError) as error:
            # Perhaps the object goes on. Reading as much again as there is keeps the time linear.
            more, wanted = [], max(len(buffer) - place, 65_536)
            while wanted > 0 and (following := next(lines, None)):
                more.append(following[1])
                wanted -= len(following[1])
            if not more and not is_array and place == len(buffer):
                return
            if not more or len(buffer) - place > LONGEST:
                raise BadInput(f"{file.name}:{number}: not JSON ({error}). Is the file cut short?") from error
            buffer, place = buffer[place:] + "".join(more), 0
            continue
        if isinstance(value, dict):
            yield number, value
        else:
            file.bad(number, f"must be a JSON object, got {excerpt(value)}.")
        number += buffer.count("\n", place, end)
        place = end


def csv_rows(file: TextFile, lines: Iterator[tuple[int, str]], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Rows with their first line; a quoted value may hold commas and line ends."""
    used: list[int] = []

    def texts() -> Iterator[str]:
        for number, text in lines:
            used.append(number)
            yield text

    reader = csv.reader(texts(), delimiter=delimiter, strict=True)
    while True:
        used.clear()
        try:
            row = next(reader, None)
        except csv.Error as error:
            # An open quotation mark swallows the lines after it, so this is no line to skip.
            raise BadInput(f"{file.name}:{used[0]}: not CSV ({error}). Close the quotation marks.") from error
        if row is None:
            return
        yield used[0], row


def table(
    file: TextFile, rows: Iterator[tuple[int, list[str]]], names: Names, columns: Mapping[int, tuple[str, ...]]
) -> Iterator[Record]:
    """With a header, in which one column has a known name for ids; or `columns` by their number, without one."""
    header: tuple[str, ...] = ()
    named = False
    for number, row in rows:
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        if not header:
            named = bool(names.ids & {cell.lower() for cell in cells})
            header = tuple(cells) if named else columns.get(len(row), ())
            if named:
                continue
        width = len(header)
        if not header:
            first = ", ".join(cell if len(cell) < 30 else f"{cell[:29]}…" for cell in cells[:10])
            file.bad(number, f"no column holds the id of each {names.one}. Call it {names.id}. Found: {first}.")
        elif len(row) == width:
            yield number, dict(zip(header, cells, strict=True))
        elif len(row) > width and not named:  # the text, in the last column, has separators in it
            yield number, dict(zip(header, [*cells[: width - 1], " ".join(cells[width - 1 :])], strict=True))
        else:
            file.bad(number, f"the row must have {width} columns as the first line has, got {len(row)}.")


def smart_records(file: TextFile, lines: Iterator[tuple[int, str]], names: Names) -> Iterator[Record]:
    """Records of `.I 1`, then fields that begin with a line such as `.W`. An empty last record is an end mark."""
    record: dict[str, str] = {}
    first, field, size = 0, "", 0
    for number, line in lines:
        text = line.rstrip()
        if start := SMART_ID.fullmatch(text):
            if record:
                yield first, record
            first, record, field, size = number, {names.id: start[1]}, "", 0
        elif not record:
            continue  # the rest of a record that was skipped
        elif found := SMART_FIELD.fullmatch(text):
            field = names.smart.get(found[1], f".{found[1]}")
            record.setdefault(field, "")
        elif field:
            size += len(line)
            if size > LONGEST:
                raise BadInput(f"{file.name}:{first}: the record has more than {LONGEST:,} characters.")
            record[field] += line
        elif text:
            file.bad(first, f"line {number} of this record is in no field. Begin each with a line such as .W.")
            record = {}
    if record and not any(record[field].strip() for field in record if field != names.id):
        file.bad_lines.add(f"{file.name}:{first}", "the last record is empty.", harmless=True)
    elif record:
        yield first, record


def excerpt(value: object) -> str:
    """A value as JSON, short enough for a message."""
    try:
        text = json.dumps(value, ensure_ascii=False).encode(errors="replace").decode()
    except (RecursionError, ValueError):
        return "a value with too many brackets or digits"
    return text if len(text) <= 60 else f"{text[:57]}…"
