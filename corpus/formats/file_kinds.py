"""The kind of a file by its first lines, so that an import can name a wrong one. Pure."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Collection, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from corpus.formats import smart
from corpus.formats.decompression import (
    DAMAGED,
    GZIP_MAGIC,
    MEGABYTE,
    Meter,
    TooLarge,
    files_in,
    open_unpacked,
)
from corpus.formats.sources import SourceError

LOOKED_AT = 64 * 1024  # bytes, unpacked
LINES = 20


class FileKind(StrEnum):
    DOCUMENTS = "documents"
    TOPICS = "topics"
    RECORDS = "records"  # of a SMART collection: documents or topics
    JUDGMENTS = "judgments"
    QRELS = "qrels"
    RUN = "run"
    OTHER = "other"


class Look(NamedTuple):
    """The kind of a file, and the words for it."""

    kind: FileKind
    words: str


WHERE = {
    FileKind.DOCUMENTS: "Import it on the page Import documents, or with import_documents.",
    FileKind.TOPICS: "Import it on the page Add queries, under Queries from a topic file, or with "
    "import_topics.",
    FileKind.RECORDS: "Import its documents on the page Import documents, its topics on the page "
    "Add queries.",
    FileKind.JUDGMENTS: "Import it on the page Import judgments, or with import_judgments.",
    FileKind.QRELS: "Import it on the page Add a run as judgments (qrels), or with import_run. "
    "Its relevant documents then are known positives, which can be pooled.",
    FileKind.RUN: "Import it on the page Add a run as a ranked list, or with import_run.",
    FileKind.OTHER: "Save it as one of these formats.",
}
ACCEPTED = {
    FileKind.DOCUMENTS: "Documents can be JSON Lines or a JSON array, TREC (<DOC>), SMART (.I, .T, "
    ".W), XML, BibTeX, TSV or CSV",
    FileKind.TOPICS: "Topics can be TREC (<top>), SMART (.I, .W), JSON Lines or a JSON array, or "
    "lines of an id, a tab and a text",
    FileKind.JUDGMENTS: "Judgments by people can be CSV, TSV, JSON or JSON Lines with query, "
    "docno, annotator and grade, or exports of Label Studio and doccano",
    FileKind.QRELS: "Judgments (qrels) have four columns: topic, 0, docno, grade; BEIR’s have "
    "three",
    FileKind.RUN: "A ranked list has six columns: topic, Q0, docno, rank, score, tag",
}
PACKED = "Each may be plain, gzip or a zip of one file."
FITTING = {
    FileKind.DOCUMENTS: {FileKind.DOCUMENTS, FileKind.RECORDS},
    FileKind.TOPICS: {FileKind.TOPICS, FileKind.RECORDS},
    FileKind.JUDGMENTS: {
        FileKind.JUDGMENTS,
        FileKind.TOPICS,
        FileKind.DOCUMENTS,
    },  # fields may have any name
}
OFFICE = {"xl/workbook.xml": "an Excel workbook", "word/document.xml": "a Word document"}
MAGIC = {
    b"%PDF": "a PDF",
    b"\x93NUMPY": "vectors of NumPy",
    b"\x89PNG": "a picture",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"SQLite format 3": "an SQLite database",
}
_WHOLE = re.compile(rb"[+-]?[0-9]{1,9}")
_NUMBER = re.compile(rb"[+-]?[0-9.]{1,40}(?:[eE][+-]?[0-9]{1,4})?")
_TAGS: Sequence[tuple[re.Pattern[bytes], Look]] = (
    (re.compile(rb"<(?:!doctype )?html\b", re.I), Look(FileKind.OTHER, "a web page")),
    (re.compile(rb"<top(?:ic)?[\s>]", re.I), Look(FileKind.TOPICS, "TREC topics (<top>)")),
    (re.compile(rb"<doc(?:ument)?[\s>]", re.I), Look(FileKind.DOCUMENTS, "TREC documents (<DOC>)")),
)
PEOPLE, GRADES = {"annotator", "assessor", "completed_by"}, {"grade", "label", "labels", "rating"}
TOPIC_KEYS, DOCUMENT_KEYS = {"qid", "query_id", "query"}, {"docno", "doc_id", "abstract"}


class WrongKind(SourceError):
    """A file is of another kind than this import reads."""

    def __init__(self, name: str, look: Look, wanted: FileKind) -> None:
        self.look = look
        super().__init__(
            f"{name} was not imported. This looks like {look.words}. {WHERE[look.kind]} "
            f"{ACCEPTED[wanted]}. {PACKED}"
        )


def check_kind(path: Path, *, name: str, wanted: FileKind) -> None:
    """Raises WrongKind for a file that is clearly of another kind; OSError if it cannot be read."""
    look = look_of(path)
    if look is not None and look.kind not in FITTING.get(wanted, {wanted}):
        raise WrongKind(name, look, wanted)


def look_of(path: Path) -> Look | None:
    """The kind that a file clearly has by its first lines; None if they do not tell."""
    office = _office_file(path)
    if office is not None:
        return office
    meter = Meter(limit=16 * MEGABYTE)
    try:
        with open_unpacked(path, meter) as stream:
            start = stream.read(LOOKED_AT)
    except (*DAMAGED, TooLarge):
        return None  # reading the file reports it
    for magic, words in MAGIC.items():
        if start.startswith(magic):
            return Look(FileKind.OTHER, words)
    if start.startswith(GZIP_MAGIC):  # inside a zip
        return None
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if b"\0" in text:
        return Look(FileKind.OTHER, "a binary file")
    lines = [line for line in text.split(b"\n") if line.strip()]
    if len(start) == LOOKED_AT and len(lines) > 1:
        lines.pop()  # it is cut
    return _look_of_lines(text, lines[:LINES]) if lines else None


def _office_file(path: Path) -> Look | None:
    with path.open("rb") as stream:
        if stream.read(2) != b"PK":
            return None
    try:
        with zipfile.ZipFile(path) as archive:
            names = {member.filename for member in files_in(archive)}
    except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError):
        return None
    return next(
        (Look(FileKind.OTHER, words) for name, words in OFFICE.items() if name in names), None
    )


def _look_of_lines(text: bytes, lines: Sequence[bytes]) -> Look | None:
    if smart.START.match(text):
        return Look(FileKind.RECORDS, "records of a SMART collection (.I)")
    if text[:1] == b"<":
        return next((look for tag, look in _TAGS if tag.match(text)), None)
    if text[:1] in b"{[":
        return _look_of_keys(_keys(text))
    rows = [line.split() for line in lines]
    if all(map(_is_of_run, rows)):
        return Look(FileKind.RUN, "a TREC run: topic, Q0, docno, rank, score and tag")
    if rows[0][0] == b"query-id" or _all(rows, 3, _is_whole) or _all(rows, 4, _is_of_qrels):
        return Look(FileKind.QRELS, "TREC qrels: a topic, a docno and a grade, but not who judged")
    header = lines[0].decode("utf-8", "replace")
    delimiter = max("\t;,", key=header.count)
    names = next(csv.reader(io.StringIO(header), delimiter=delimiter), [])
    return _look_of_keys({name.strip().lower() for name in names})


def _all(
    rows: Sequence[list[bytes]], width: int, is_fitting: Callable[[list[bytes]], bool]
) -> bool:
    return all(len(row) == width and is_fitting(row) for row in rows)


def _is_of_run(row: list[bytes]) -> bool:
    return (
        len(row) == 6
        and row[1].upper() == b"Q0"
        and bool(_WHOLE.fullmatch(row[3]) and _NUMBER.fullmatch(row[4]))
    )


def _is_of_qrels(row: list[bytes]) -> bool:
    """TREC's topic, 0, docno, grade, or a SMART collection's topic, docno, 0, 0.000000."""
    is_trec = row[1].upper() in (b"0", b"Q0", b"1") and _WHOLE.fullmatch(row[3])
    return bool(is_trec or smart.is_judgment(row))


def _is_whole(row: list[bytes]) -> bool:
    """Only numbers, because a topic may be `1`, a tab and `apollo 11`."""
    return all(map(_WHOLE.fullmatch, row))


def _keys(text: bytes) -> set[str]:
    """The keys of the first object, as far as it is there."""
    start = text.lstrip(b"[ \t\r\n")
    try:
        value, _ = json.JSONDecoder().raw_decode(start.decode("utf-8", "ignore"))
    except (ValueError, RecursionError):
        return set()
    return {key.lower() for key in value} if isinstance(value, dict) else set()


def _look_of_keys(keys: Collection[str]) -> Look | None:
    found = set(keys)
    if (found & PEOPLE and found & GRADES) or {"adjudicator", "grade"} <= found:
        return Look(FileKind.JUDGMENTS, "judgments by people, with who judged and the grade")
    if found & TOPIC_KEYS and not found & DOCUMENT_KEYS:
        return Look(FileKind.TOPICS, "topics, with an id and a query")
    if "docno" in found and found & {"abstract", "sentences", "title", "text"}:
        return Look(FileKind.DOCUMENTS, "documents, with a docno and a text")
    return None
