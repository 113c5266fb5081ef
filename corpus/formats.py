"""Document files: JSON Lines, plain or gzip, one document a line. Pure.

What each key means, and every error, is in docs/formats.md.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from corpus.sentences import split_sentences
from corpus.texts import text_digest
from corpus.unpacking import Meter, TooLarge, unpacked

LONGEST_LINE = 16 * 1024 * 1024  # bytes; a file without line ends must not be read whole
LOOKED_AT = 1024 * 1024  # bytes; a first line that begins later says nothing about the format
LONGEST_DOCNO = 200
LONGEST_LABEL = 60
UTF8_BOM = b"\xef\xbb\xbf"
KEYS = frozenset(
    {
        *("docno", "title", "abstract", "sentences", "labels"),
        *("year", "authors", "venue", "references", "fields"),
    }
)
# JSON can spell both; no database keeps the first and no file the second.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class DocumentFormatError(ValueError):
    """A document file cannot be read. `line` counts from 1; None stands for the whole file."""

    is_for_people = True

    def __init__(self, file: str, line: int | None, reason: str) -> None:
        self.file, self.line, self.reason = file, line, reason
        super().__init__(f"{file}: {reason}" if line is None else f"{file}:{line}: {reason}")


class Problem(ValueError):
    """What is wrong with one line, before its file and number are known."""


class DocumentRecord(NamedTuple):
    """One document as its line says it. `labels` is empty or as long as `sentences`."""

    docno: str
    title: str
    sentences: tuple[str, ...]
    labels: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    authors: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        return text_digest(self.title, self.sentences, self.labels)


class DocumentLine(NamedTuple):
    """A record and the line it stands in.

    `unknown_keys` are keys of the line that mean nothing here. `file` is what messages call the
    file.
    """

    number: int
    record: DocumentRecord
    unknown_keys: tuple[str, ...] = ()
    file: str = ""


class BadLine(NamedTuple):
    """A line that is no document, and why."""

    number: int
    reason: str
    file: str = ""

    @property
    def error(self) -> DocumentFormatError:
        return DocumentFormatError(self.file, self.number, self.reason)


class Shape(NamedTuple):
    """How a line of a format says what a document is.

    `keys` are those that mean something; `as_document` turns the line's object into one with the
    keys of this project (KEYS), or raises Problem.
    """

    keys: frozenset[str]
    as_document: Callable[[dict[str, Any]], dict[str, Any]]


PLAIN = Shape(KEYS, lambda content: content)


def read_lines(
    source: Path | BinaryIO, *, name: str, shape: Shape = PLAIN, meter: Meter | None = None
) -> Iterator[DocumentLine | BadLine]:
    """The lines of a file one by one, good or bad; blank ones are left out.

    Raises:
        DocumentFormatError: where gzip data break off, where the file unpacks to more than the
            meter allows, and at the end of a file without lines.
    """
    empty = True
    for number, line in _numbered_lines(source, name, meter or Meter()):
        if not line.strip():
            continue
        empty = False
        try:
            content = parsed_object(line)
            record = document_record(shape.as_document(content))
        except Problem as problem:
            yield BadLine(number, str(problem), name)
            continue
        unknown = () if content.keys() <= shape.keys else tuple(sorted(content.keys() - shape.keys))
        yield DocumentLine(number, record, unknown, name)
    if empty:
        raise DocumentFormatError(name, None, "holds no document; give one JSON object per line")


def first_object(source: Path | BinaryIO, *, name: str) -> dict[str, Any]:
    """The object of the first line that is not blank, {} without any among the first LOOKED_AT
    bytes; raises as reading does.
    """
    blank = 0
    for _, line in _numbered_lines(source, name, Meter()):
        if line.strip():
            return parsed_object(line)
        blank += len(line)
        if blank > LOOKED_AT:
            break
    return {}


def read_documents(source: Path | BinaryIO, *, name: str) -> Iterator[DocumentLine]:
    """The documents of a JSON Lines file; `name` is what errors call it.

    Raises:
        DocumentFormatError: at the first line that is wrong, where gzip data break off, and at the
            end of a file without documents.
    """
    for line in read_lines(source, name=name):
        if isinstance(line, BadLine):
            raise line.error
        yield line


def document_record(content: dict[str, Any]) -> DocumentRecord:
    """The record that a JSON object describes.

    Raises:
        Problem: the object is not a document; the message says how to mend it.
    """
    docno = _docno(content.get("docno"))
    title = _title(content.get("title"))
    sentences = _sentences(content)
    return DocumentRecord(
        docno=docno,
        title=title,
        sentences=sentences,
        labels=_labels(content, len(sentences)),
        year=_year(content.get("year")),
        venue=_text(content.get("venue"), "venue", default=""),
        authors=_texts(content.get("authors"), "authors"),
        references=_docnos(content.get("references"), "references"),
        fields=_texts(content.get("fields"), "fields"),
    )


def _docno(value: Any) -> str:
    if value is None:
        raise Problem('no "docno"; every document needs one')
    if not isinstance(value, str):
        raise Problem(f'docno {_shown(value)} is not text; write it in quotes, as "123"')
    if not value.strip():
        raise Problem("docno is blank; every document needs one")
    if value.split() != [value]:
        raise Problem(f"docno {_shown(value)} holds white space, which run files cannot; remove it")
    if len(value) > LONGEST_DOCNO:
        raise Problem(f"docno {_shown(value)} is longer than {LONGEST_DOCNO} characters")
    return _text(value, "docno")


def _docnos(value: Any, key: str) -> tuple[str, ...]:
    # Nearly every list is good, and there are twenty docnos for each document: a good list is told
    # as a whole, and only one that is not is looked through for what is wrong.
    if isinstance(value, list) and value:
        with suppress(TypeError):
            together = " ".join(value)
            longest = max(map(len, value))
            if (
                together.split() == value
                and longest <= LONGEST_DOCNO
                and not _UNSTORABLE.search(together)
            ):
                return tuple(value)
    return _texts(value, key, check=_docno)


def _title(value: Any) -> str:
    if value is None:
        raise Problem('no "title"; write "title": "" if the document has none')
    return _text(value, "title")


def _sentences(content: dict[str, Any]) -> tuple[str, ...]:
    given, abstract = content.get("sentences"), content.get("abstract")
    if given is not None:
        sentences = _texts(given, "sentences")
        for place, sentence in enumerate(sentences, start=1):
            if not sentence.strip():
                raise Problem(f"sentence {place} is blank; remove it, and its label")
        return sentences
    if abstract is None:
        raise Problem(
            'neither "abstract" nor "sentences"; write "abstract": "" if the document has none'
        )
    if isinstance(abstract, list):
        raise Problem('abstract is a list; call a list of sentences "sentences"')
    return tuple(split_sentences(_text(abstract, "abstract")))


def _labels(content: dict[str, Any], sentences: int) -> tuple[str, ...]:
    labels = _texts(content.get("labels"), "labels", check=_label)
    if not labels:
        return ()
    if content.get("sentences") is None:
        raise Problem('labels without "sentences"; give the sentences that they belong to')
    if len(labels) != sentences:
        raise Problem(f"{len(labels)} labels for {sentences} sentences; give one label to each")
    return labels


def _label(value: Any) -> str:
    label = _text(value, "label")
    if len(label) > LONGEST_LABEL:
        raise Problem(f"label {_shown(label)} is longer than {LONGEST_LABEL} characters")
    return label


def _year(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise Problem(
            f"year {_shown(value)} is not a whole number; write it as 2021, or leave it out"
        )
    if not 1 <= value <= 9999:
        raise Problem(f"year {_shown(value)} is not between 1 and 9999; mend it, or leave it out")
    return value


def _texts(value: Any, key: str, *, check: Callable[[Any], str] | None = None) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise Problem(f'{key} is {_shown(value)}, not a list; write it as ["…", "…"]')
    texts = []
    for place, item in enumerate(value, start=1):
        try:
            texts.append(check(item) if check else _text(item, key))
        except Problem as problem:
            raise Problem(f"{key}, item {place}: {problem}") from problem
    return tuple(texts)


def _text(value: Any, key: str, *, default: str | None = None) -> str:
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise Problem(f"{key} is {_shown(value)}, not text; write it in quotes")
    bad = _UNSTORABLE.search(value)
    if bad:
        raise Problem(f"{key} holds the character U+{ord(bad.group()):04X}; remove it")
    return value


def _shown(value: Any) -> str:
    try:
        text = json.dumps(value)
    except RecursionError:  # writing needs more of the stack than reading did
        return "a value of too many nested brackets"
    return text if len(text) <= 60 else f"{text[:57]}…"


def parsed_object(line: bytes) -> dict[str, Any]:
    """The JSON object that a line holds; raises Problem."""
    if len(line) > LONGEST_LINE:
        megabytes = LONGEST_LINE // 1024 // 1024
        raise Problem(f"longer than {megabytes} MB; write one JSON object per line")
    try:
        content = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise Problem(f"not UTF-8 at byte {error.start + 1}; save the file as UTF-8") from error
    except json.JSONDecodeError as error:
        where = f"at column {error.colno}"
        raise Problem(f"not JSON ({error.msg} {where}); write one JSON object per line") from error
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits; 10,000 brackets
        raise Problem(f"not JSON that can be read ({error}); mend the line") from error
    if not isinstance(content, dict):
        raise Problem(f"{_shown(content)} is not a JSON object; write one object per line")
    return content


def _numbered_lines(
    source: Path | BinaryIO, name: str, meter: Meter
) -> Iterator[tuple[int, bytes]]:
    number = 0
    try:
        with unpacked(source, meter) as stream:
            while line := stream.readline(LONGEST_LINE + 1):
                number += 1
                yield number, line.removeprefix(UTF8_BOM) if number == 1 else line
    except TooLarge as error:
        raise DocumentFormatError(name, number + 1, str(error)) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        reason = f"the gzip data are damaged or cut short ({error}); pack or copy the file again"
        raise DocumentFormatError(name, number + 1, reason) from error
