"""Every format of a document file by its name, and how a file shows its format. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple

from corpus.formats import acl_anthology, pubmed
from corpus.formats.academic_graph import DumpFile, dataset_of, read_academic_graph
from corpus.formats.benchmarks import BEIR, PYSERINI, PYTERRIER, S2ORC
from corpus.formats.bibtex import read_bibtex
from corpus.formats.decompression import Meter, UnreadableLine
from corpus.formats.document_lines import (
    DETECTION_BYTES,
    NO_DOCUMENTS,
    PLAIN,
    BadLine,
    DocumentFormatError,
    DocumentLine,
    FileItem,
    Problem,
    Reading,
    UnparsedItem,
    decoded,
    file_lines,
    parsed_object,
)
from corpus.formats.json_items import ARRAY, array_items
from corpus.formats.openalex import ADDRESS as OPENALEX_ID
from corpus.formats.openalex import OPENALEX
from corpus.formats.smart import START, read_smart
from corpus.formats.smart import TITLE as SMART
from corpus.formats.tables import read_csv, read_tsv
from corpus.formats.trec import read_trec

Items = Iterator[FileItem | UnparsedItem]
Reader = Callable[[Path | BinaryIO, str, Meter, Mapping[str, str]], Items]
JoiningReader = Callable[[Sequence[DumpFile], Meter, Reading], Iterator[DocumentLine | BadLine]]
AUTO = "auto"
PROLOG_BYTES = 16_384  # read again with each of its lines, so not many
# A start tag may follow the XML declaration, comments and the document type.
_ROOT = re.compile(r"<([A-Za-z][\w.-]*)")


class DocumentFormat(NamedTuple):
    """A format: its title in forms, and what yields the items of a file in it.

    `empty` is the problem of a file without items; it is "" where `items` raises it. `join` reads
    all files of an import together, and replaces `items`.
    """

    title: str
    items: Reader = PLAIN.items
    empty: str = NO_DOCUMENTS
    join: JoiningReader | None = None


DOCUMENT_FORMATS: Mapping[str, DocumentFormat] = {
    "jsonl": DocumentFormat("JSON Lines of Qrelsmith"),
    "s2orc": DocumentFormat("S2ORC: papers with paper_id and outbound_citations", S2ORC.items),
    "beir": DocumentFormat("BEIR: corpus.jsonl, or a zip that contains it", BEIR.items),
    "pyterrier": DocumentFormat("PyTerrier: JSON Lines with docno and text", PYTERRIER.items),
    "pyserini": DocumentFormat("Pyserini: JSON Lines with id and contents", PYSERINI.items),
    "openalex": DocumentFormat("OpenAlex: works as JSON Lines", OPENALEX.items),
    "s2ag": DocumentFormat(
        "Semantic Scholar’s Academic Graph: papers, with abstracts and citations",
        join=read_academic_graph,
    ),
    "acl": DocumentFormat(
        "ACL Anthology: its XML",
        acl_anthology.read_acl,
        "the file has no <paper>. Check that you chose the right file.",
    ),
    "bibtex": DocumentFormat(
        "BibTeX, also the ACL Anthology’s with abstracts",
        read_bibtex,
        "the file has no entries. Check that you chose the right file.",
    ),
    "pubmed": DocumentFormat(
        "PubMed: its XML",
        pubmed.read_pubmed,
        "the file has no <PubmedArticle>. Check that you chose the right file.",
    ),
    "trec": DocumentFormat(
        "TREC: <DOC>, <DOCNO>, <TITLE>, <TEXT>",
        read_trec,
        "the file has no <DOC>. Write <DOC>…</DOC> around every document.",
    ),
    "smart": DocumentFormat(SMART, read_smart),
    "tsv": DocumentFormat("TSV: docno, title, text, separated by tabs", read_tsv, ""),
    "csv": DocumentFormat("CSV with a header line; commas or semicolons", read_csv, ""),
}


def detect_format(source: Path | BinaryIO, *, name: str) -> str:
    """The format of a file by its first line that is not blank, of XML by its first element.

    Of a JSON array, its first item counts. A file that shows no format is read as JSON Lines, which
    reports its first line.
    """
    blank, prolog = 0, b""  # a prolog is what may stand before the first element of XML
    lines = file_lines(source, name, Meter())
    try:
        for number, line in lines:
            if not prolog and ARRAY.match(line):
                _, item = next(array_items(chain([(number, line)], lines)), (0, b""))
                return _format_of_object(item)
            if prolog or line.strip():
                prolog += line
                if not _is_before_root(prolog):
                    return _format_of(prolog.lstrip() if prolog.lstrip()[:1] == b"<" else line)
            else:
                blank += len(line)
            if blank > DETECTION_BYTES or len(prolog) > PROLOG_BYTES:
                break
    except (DocumentFormatError, UnreadableLine):
        pass  # reading the file reports it, with its line
    return "trec" if prolog else "jsonl"


def _is_before_root(text: bytes) -> bool:
    """Return whether the text begins an XML file and has no element yet."""
    return text.lstrip()[:2] in (b"<?", b"<!") and not re.search(rb"<[A-Za-z]", text)


def _format_of(line: bytes) -> str:
    try:
        decoded(line)
    except Problem:
        return "jsonl"
    start = line.lstrip()[:1]
    if start == b"{":
        return _format_of_object(line)
    if start == b"<":
        return _format_of_xml(line)
    if start in (b"@", b"%"):
        return "bibtex"
    if START.match(line):
        return "smart"
    if b"\t" in line:
        return "tsv"
    has_columns = b"," in line or b";" in line
    return "csv" if has_columns and start not in b"[\"'" else "jsonl"


def _format_of_xml(start: bytes) -> str:
    root = _ROOT.search(decoded(start))
    if root and root[1] in pubmed.ROOTS:
        return "pubmed"
    return "acl" if root and root[1] == acl_anthology.ROOT else "trec"


def _format_of_object(line: bytes) -> str:
    try:
        content = parsed_object(line)
    except Problem:
        return "jsonl"
    keys = content.keys()
    if dataset_of(content):
        return "s2ag"
    if "abstract_inverted_index" in keys or str(content.get("id")).startswith(OPENALEX_ID):
        return "openalex"
    if "docno" in keys:
        return "pyterrier" if "text" in keys and not keys & {"abstract", "sentences"} else "jsonl"
    if "_id" in keys:
        return "beir"
    if keys & {"paper_id", "corpusid"}:
        return "s2orc"
    return "pyserini" if "contents" in keys else "jsonl"
