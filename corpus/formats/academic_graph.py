"""Dumps of Semantic Scholar's Academic Graph (Kinney et al., 2023), joined. Pure.

The graph comes as one dataset for each kind of line: `papers`, `abstracts`, `citations`, `s2orc`.
The last three are read first and kept on disk by corpus id, so that memory does not grow with them.
Then each paper is completed with what was kept for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from corpus.formats.benchmarks import from_s2orc
from corpus.formats.decompression import Meter
from corpus.formats.document_lines import (
    BadLine,
    DocumentFormatError,
    DocumentLine,
    DocumentValues,
    FileItem,
    Problem,
    Reading,
    UnparsedItem,
    checked_lines,
    file_lines,
    parsed_object,
)
from corpus.temporary_database import TemporaryDatabase

PAPERS, ABSTRACTS, CITATIONS, TEXTS = "papers", "abstracts", "citations", "s2orc"
OTHERS = "another dataset"
BATCH = 2_000  # rows that are inserted together
_PAPER_KEYS = frozenset({"externalids", "referencecount", "s2fieldsofstudy", "publicationdate"})
_TABLES = {
    ABSTRACTS: ("abstract", "corpusid INTEGER, text TEXT", "corpusid"),
    CITATIONS: ("citation", "citing INTEGER, cited INTEGER", "citing, cited"),
    TEXTS: ("text", "corpusid INTEGER", "corpusid"),
}


class DumpFile(NamedTuple):
    """A file of the dumps: its name in messages, and a function that opens it."""

    name: str
    open: Callable[[], AbstractContextManager[Path | BinaryIO]]


def dataset_of(content: Mapping[str, object]) -> str:
    """The dataset of a line; OTHERS for one of the graph that is not read, "" for other formats."""
    keys = content.keys()
    if {"citingcorpusid", "citedcorpusid"} <= keys:
        return CITATIONS
    if keys & {"authorid", "alternate_names"}:
        return OTHERS  # authors, venues
    if "corpusid" not in keys or "paper_id" in keys:
        return ""
    if "content" in keys or {"body", "bibliography"} <= keys:
        return TEXTS
    if "abstract" in keys:
        return "" if "title" in keys else ABSTRACTS
    if "title" in keys:
        return PAPERS if keys & _PAPER_KEYS else ""
    return OTHERS


def read_academic_graph(
    parts: Sequence[DumpFile], meter: Meter, reading: Reading
) -> Iterator[DocumentLine | BadLine]:
    """Yield the papers in the order of their files, and the invalid lines of all files.

    A file holds lines of one dataset, which its first line shows. Files of datasets other than
    those four are skipped.

    Raises:
        DocumentFormatError: a file cannot be read, or none holds papers.
    """
    files: dict[str, list[DumpFile]] = {}
    for part in parts:
        files.setdefault(_dataset_of_file(part), []).append(part)
    papers = files.get(PAPERS, [])
    if not papers:
        raise DocumentFormatError(
            parts[0].name,
            None,
            "no file has the dataset papers, which holds the titles. Add its files to the import.",
        )
    with ExitStack() as stack:
        kept = reading.kept if reading.kept is not None else {}
        store: _Store | None = kept.get(papers[0].name)
        if store is None:
            store = kept[papers[0].name] = _Store()
            if reading.kept is None:
                stack.enter_context(closing(store))
            for dataset in _TABLES:
                for part in files.get(dataset, []):
                    for problem in _store_lines(store, dataset, part, meter):
                        store.problems.append(problem)
                        yield problem
            store.index()
        else:
            yield from (problem for problem in store.problems if reading.takes_next())
        for part in papers:
            yield from checked_lines(_papers(store, part, meter), part.name, reading=reading)


def _dataset_of_file(part: DumpFile) -> str:
    for _, line in _lines(part, Meter()):
        try:
            return dataset_of(parsed_object(line)) or PAPERS
        except Problem:
            break
    return PAPERS  # so that its first line is reported


def _lines(part: DumpFile, meter: Meter) -> Iterator[tuple[int, bytes]]:
    with part.open() as source:
        for number, line in file_lines(source, part.name, meter):
            if line.strip():
                yield number, line


def _store_lines(store: _Store, dataset: str, part: DumpFile, meter: Meter) -> Iterator[BadLine]:
    lines = _lines(part, meter)
    while batch := list(islice(lines, BATCH)):
        rows: list[tuple[object, ...]] = []
        for number, line in batch:
            try:
                content = parsed_object(line)
                _check_dataset(content, dataset)
                row = _row_of(content, dataset)
            except Problem as problem:
                yield BadLine(number, str(problem), part.name)
            else:
                rows += [row] if row else []
        store.add(dataset, rows)


def _check_dataset(content: Mapping[str, object], dataset: str) -> None:
    found = dataset_of(content) or "another format"
    if found != dataset:
        raise Problem(
            f"the line is of {found}, and the first line of this file is of {dataset}. "
            "Put each dataset into files of its own."
        )


def _row_of(content: Mapping[str, object], dataset: str) -> tuple[object, ...] | None:
    """The row to store, or None for a line that says nothing, such as a citation of no paper."""
    if dataset == CITATIONS:
        citing, cited = content["citingcorpusid"], content["citedcorpusid"]
        return None if cited is None or citing is None else (_number(citing), _number(cited))
    corpusid = _number(content["corpusid"])
    if dataset == TEXTS:
        return (corpusid,) if _has_text(content) else None
    abstract = content["abstract"]
    if abstract is not None and not isinstance(abstract, str):
        raise Problem('"abstract" must be text. Write it in quotes.')
    return (corpusid, abstract) if abstract else None


def _has_text(content: Mapping[str, object]) -> bool:
    inside = content.get("content") or content.get("body")
    return isinstance(inside, dict) and bool(inside.get("text"))


def _number(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63:
        return value
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19:
        return int(value)
    raise Problem(f"a corpus id must be a whole number, got {str(value)[:40]!r}.")


def _papers(store: _Store, part: DumpFile, meter: Meter) -> Iterator[UnparsedItem]:
    def parse(number: int, line: bytes, characters: int | None) -> FileItem:
        try:
            content = parsed_object(line)
            _check_dataset(content, PAPERS)
            return FileItem(number, _paper(content, store))
        except Problem as problem:
            return FileItem(number, problem)

    for number, line in _lines(part, meter):
        yield UnparsedItem(number, line, parse)


def _paper(content: Mapping[str, object], store: _Store) -> DocumentValues:
    corpusid = _number(content["corpusid"])
    journal = content.get("journal")
    return {
        **from_s2orc(
            {
                **content,
                "corpusid": corpusid,
                "abstract": store.abstract(corpusid),
                "outbound_citations": store.references(corpusid),
                "venue": content.get("venue") or None,
                "journal": journal.get("name") if isinstance(journal, dict) else None,
            }
        ),
        "has_full_text": store.has_text(corpusid),
    }


class _Store(TemporaryDatabase):
    """The data of papers, and the invalid lines among them."""

    def __init__(self) -> None:
        self.problems: list[BadLine] = []
        super().__init__(*(f"{table} ({columns})" for table, columns, _ in _TABLES.values()))

    def add(self, dataset: str, rows: list[tuple[object, ...]]) -> None:
        if rows:
            places = ", ".join("?" * len(rows[0]))
            self.insert(f"INTO {_TABLES[dataset][0]} VALUES ({places})", rows)

    def index(self) -> None:
        """Called once, because sorting is many times faster than inserting in random order."""
        for table, _, columns in _TABLES.values():
            self._database.execute(f"CREATE INDEX {table}_by_id ON {table} ({columns})")

    def abstract(self, corpusid: int) -> str | None:
        row = self._database.execute(
            "SELECT text FROM abstract WHERE corpusid = ? ORDER BY rowid LIMIT 1", (corpusid,)
        ).fetchone()
        return row[0] if row else None

    def references(self, corpusid: int) -> list[str]:
        """By corpus id, so that the order of the files does not matter."""
        rows = self._database.execute(
            "SELECT DISTINCT cited FROM citation WHERE citing = ? ORDER BY cited", (corpusid,)
        )
        return [str(cited) for (cited,) in rows]

    def has_text(self, corpusid: int) -> bool:
        row = self._database.execute("SELECT 1 FROM text WHERE corpusid = ? LIMIT 1", (corpusid,))
        return row.fetchone() is not None
