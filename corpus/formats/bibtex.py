"""BibTeX, such as the ACL Anthology's export with abstracts. Pure.

An entry of the Anthology has its id there as docno. Every other entry has its key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from corpus.formats.decompression import Meter
from corpus.formats.document_lines import (
    LONGEST_LINE,
    DocumentValues,
    FileItem,
    Problem,
    decoded,
    file_lines,
    too_long,
)
from corpus.formats.latex import plain_text

_START = re.compile(r"\s*@\s*([A-Za-z]+)\s*([{(])")
_NEXT = re.compile(r"@[A-Za-z]+\s*\{[^{}\s,=]+,\s*$")  # an entry at the start of a line
_BRACE = re.compile(r"(?<!\\)[{}]")
_KEY = re.compile(r"\s*([^\s,{}]+)\s*,")
_NAME = re.compile(r"[\s,]*([A-Za-z][\w-]*)\s*=\s*")
_BARE = re.compile(r"[^\s,#{}\"]+")
_ANTHOLOGY = re.compile(r"https?://(?:www\.)?aclanthology\.(?:org|info)/([^/\s]+?)(?:\.pdf)?/?$")
_YEAR = re.compile(r"(\d{4})(?!\d)")  # of "2021" and "2021 (to appear)"; "in press" has none
_AND = re.compile(r"\s+and\s+")
_SEPARATOR = re.compile(r"\s*[;,]\s*")
_WITHOUT_DOCUMENT = frozenset({"comment", "preamble", "string"})
_VENUES = ("journal", "journaltitle", "booktitle", "publisher")
LONGEST_STRING = 64 * 1024  # characters of an @string, which others may repeat
_NOT_CLOSED = "the entry is not closed. Add the missing brace."


def read_bibtex(
    source: Path | BinaryIO, name: str, meter: Meter, columns: Mapping[str, str]
) -> Iterator[FileItem]:
    """The entries of a file, with the first line of each.

    Raises:
        DocumentFormatError: the file cannot be read.
    """
    strings: dict[str, str] = {}
    for number, entry in _entries(source, name, meter):
        if isinstance(entry, Problem):
            yield FileItem(number, entry)
            continue
        start = _START.match(entry)
        assert start is not None
        kind = start[1].lower()
        try:
            if kind == "string":
                strings.update(_values(entry, start.end(), strings, longest=LONGEST_STRING))
            if kind not in _WITHOUT_DOCUMENT:
                yield FileItem(number, _content(entry, start.end(), strings))
        except Problem as problem:
            yield FileItem(number, problem)


def _entries(
    source: Path | BinaryIO, name: str, meter: Meter
) -> Iterator[tuple[int, str | Problem]]:
    """The line and the text of each entry, or its problem. Text between is a comment."""
    parts: list[str] = []
    first = size = depth = 0
    for number, line in file_lines(source, name, meter):
        try:
            text = decoded(line)
        except Problem as problem:
            yield number, problem
            parts = []
            continue
        if parts and _NEXT.match(text):
            yield first, Problem(_NOT_CLOSED)
            parts = []
        if not parts:
            if not _START.match(text):
                continue
            first, size, depth = number, 0, 0
        parts.append(text)
        size += len(line)
        depth += sum(1 if brace == "{" else -1 for brace in _BRACE.findall(text))
        if depth <= 0:
            yield first, "".join(parts)
            parts = []
        elif size > LONGEST_LINE:
            yield first, too_long("the entry")
            parts = []
    if parts:
        yield first, Problem(_NOT_CLOSED)


def _content(entry: str, place: int, strings: Mapping[str, str]) -> DocumentValues:
    key = _KEY.match(entry, place)
    if key is None:
        raise Problem("the entry has no key. Write one after the brace, as in @article{key, …}.")
    raw = _values(entry, key.end(), strings)
    values = {name: plain_text(value) for name, value in raw.items()}
    anthology = _ANTHOLOGY.match(values.get("url", ""))
    year = _YEAR.match(values.get("year") or values.get("date", ""))
    fields = values.get("keywords", "")
    return {
        "docno": anthology[1] if anthology else key[1],
        "title": values.get("title", ""),
        "abstract": values.get("abstract", ""),
        "year": int(year[1]) if year else None,
        "venue": next((values[name] for name in _VENUES if values.get(name)), ""),
        "authors": [
            _author(author)
            for author in _AND.split(" ".join(raw.get("author", "").split()))
            if author not in ("", "others")  # "and others" stands for more authors
        ],
        "fields": [field for field in _SEPARATOR.split(fields) if field],
        "language": values.get("language") or values.get("langid"),
        "has_full_text": anthology is not None,
    }


def _author(author: str) -> str:
    """Ada Writer of "Writer, Ada"; a name in braces stays as it is."""
    names = [plain_text(name) for name in author.strip().split(",")]
    return " ".join(filter(None, [*names[1:], names[0]]))


def _values(
    entry: str, place: int, strings: Mapping[str, str], *, longest: int = LONGEST_LINE
) -> dict[str, str]:
    """The values by their names in lower case, still in LaTeX. Raises Problem."""
    values: dict[str, str] = {}
    size = 0
    while match := _NAME.match(entry, place):
        place = match.end()
        value = ""
        while True:
            part, place = _part(entry, place, match[1], strings)
            value += part
            size += len(part)
            if size > longest:
                raise Problem(
                    f"its values are longer than {longest:,} characters when each @string is "
                    "replaced by its text. Shorten them."
                )
            joint = re.compile(r"\s*#\s*").match(entry, place)
            if joint is None:
                break
            place = joint.end()
        values.setdefault(match[1].lower(), value)
    return values


def _part(entry: str, place: int, name: str, strings: Mapping[str, str]) -> tuple[str, int]:
    """A part of a value, and the place after it."""
    opening = entry[place : place + 1]
    if opening in ("{", '"'):
        end = _end_of(entry, place)
        if end is None:
            raise Problem(f'"{name}" is not closed. Add the missing brace or quotation mark.')
        return entry[place + 1 : end], end + 1
    bare = _BARE.match(entry, place)
    if bare is None:
        raise Problem(f'"{name}" has no value. Write one in braces, or remove it.')
    return strings.get(bare.group().lower(), bare.group()), bare.end()


def _end_of(entry: str, place: int) -> int | None:
    """The place of the brace or quotation mark that closes the one at `place`."""
    quoted = entry[place] == '"'
    depth = 0
    for mark in re.compile(r'(?<!\\)[{}]|"').finditer(entry, place + quoted):
        character = mark.group()
        if character == '"':
            if quoted and depth == 0:
                return mark.start()
            continue
        depth += 1 if character == "{" else -1
        if depth == 0 and not quoted:
            return mark.start()
    return None
