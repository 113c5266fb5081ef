"""Every format of a document file by its name, and how a file shows its format. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple

from corpus.decompression import Meter
from corpus.foreign_formats import BEIR, PYSERINI, PYTERRIER, S2ORC
from corpus.formats import (
    DETECTION_BYTES,
    PLAIN,
    BadLine,
    DocumentFormatError,
    DocumentLine,
    Problem,
    Shape,
    decoded,
    file_lines,
    parsed_object,
    read_lines,
)
from corpus.table_formats import read_csv, read_tsv
from corpus.trec_documents import read_trec

Reader = Callable[
    [Path | BinaryIO, str, Meter, Mapping[str, str]], Iterator[DocumentLine | BadLine]
]
AUTO = "auto"


class DocumentFormat(NamedTuple):
    """A format: its title in forms, and what yields the documents of a file in it."""

    title: str
    read: Reader


def _read_objects(
    source: Path | BinaryIO, name: str, meter: Meter, columns: Mapping[str, str], *, shape: Shape
) -> Iterator[DocumentLine | BadLine]:
    return read_lines(source, name=name, shape=shape, meter=meter)


DOCUMENT_FORMATS: Mapping[str, DocumentFormat] = {
    "jsonl": DocumentFormat("JSON Lines of Qrelsmith", partial(_read_objects, shape=PLAIN)),
    "s2orc": DocumentFormat(
        "S2ORC: papers with paper_id and outbound_citations", partial(_read_objects, shape=S2ORC)
    ),
    "beir": DocumentFormat(
        "BEIR: corpus.jsonl, or a zip that contains it", partial(_read_objects, shape=BEIR)
    ),
    "pyterrier": DocumentFormat(
        "PyTerrier: JSON Lines with docno and text", partial(_read_objects, shape=PYTERRIER)
    ),
    "pyserini": DocumentFormat(
        "Pyserini: JSON Lines with id and contents", partial(_read_objects, shape=PYSERINI)
    ),
    "trec": DocumentFormat("TREC: <DOC>, <DOCNO>, <TITLE>, <TEXT>", read_trec),
    "tsv": DocumentFormat("TSV: docno, title, text, separated by tabs", read_tsv),
    "csv": DocumentFormat("CSV with a header line", read_csv),
}


def detect_format(source: Path | BinaryIO, *, name: str) -> str:
    """The format of a file by its first line that is not blank.

    A file that shows no format is read as JSON Lines, which reports its first line.
    """
    blank = 0
    try:
        for _, line in file_lines(source, name, Meter()):
            if line.strip():
                return _format_of(line)
            blank += len(line)
            if blank > DETECTION_BYTES:
                break
    except DocumentFormatError:
        pass  # reading the file reports it, with its line
    return "jsonl"


def _format_of(line: bytes) -> str:
    try:
        decoded(line)
    except Problem:
        return "jsonl"
    start = line.lstrip()[:1]
    if start == b"{":
        return _format_of_object(line)
    if start == b"<":
        return "trec"
    if b"\t" in line:
        return "tsv"
    return "csv" if b"," in line and start not in b"[\"'" else "jsonl"


def _format_of_object(line: bytes) -> str:
    try:
        keys = parsed_object(line).keys()
    except Problem:
        return "jsonl"
    if "docno" in keys:
        return "pyterrier" if "text" in keys and not keys & {"abstract", "sentences"} else "jsonl"
    if "_id" in keys:
        return "beir"
    if keys & {"paper_id", "corpusid"}:
        return "s2orc"
    return "pyserini" if "contents" in keys else "jsonl"
