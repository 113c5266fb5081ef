"""LitSearch (Ajith et al., EMNLP 2024): `query` and `corpus_clean`, Parquet or JSON Lines. Pure.

A query has a text and the ids of the papers that answer it. All papers of the corpus can be
retrieved, so a pool has the relevant papers only, and lists are scored as they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.records import PUBLISHED, Benchmark, BenchmarkError, checked, sha256_of
from corpus.formats.decompression import Meter
from corpus.formats.document_lines import (
    BadLine,
    DocumentLine,
    DocumentValues,
    FileItem,
    Reading,
    checked_lines,
)

QUERY_COLUMNS = ("query_set", "query", "specificity", "corpusids")
CORPUS_COLUMNS = ("corpusid", "title", "abstract", "citations")
TOGETHER = 1_000  # rows of Parquet that are read together


@dataclass(frozen=True)
class Papers:
    """The papers of corpus_clean, without their full texts."""

    paths: Sequence[Path]
    name: str = "corpus_clean"
    unit: str = "documents"
    format_name: str = "LitSearch"
    size: None = None

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(path.name for path in self.paths)

    def lines(
        self, meter: Meter | None = None, reading: Reading | None = None
    ) -> Iterator[DocumentLine | BadLine]:
        for path in self.paths:
            papers = _papers(path, meter or Meter())
            yield from checked_lines(papers, path.name, reading=reading or Reading())


def _papers(path: Path, meter: Meter) -> Iterator[FileItem]:
    for number, row in enumerate(_rows(path, CORPUS_COLUMNS), start=1):
        meter.report()
        values: DocumentValues = {
            "docno": str(row["corpusid"]),
            "title": str(row["title"] or ""),
            "abstract": str(row["abstract"] or ""),
            "references": [str(cited) for cited in row["citations"] or ()],
        }
        yield FileItem(number, values)


def read_litsearch(folder: Path) -> Benchmark:
    """The files of the folders `query` and `corpus_clean`, as downloaded.

    A query is named by its set, its specificity and its row, as in `inline_acl-1-001`.

    Raises:
        BenchmarkError: a file is missing or is not as published.
    """
    query_files, corpus_files = _files(folder, "query"), _files(folder, "corpus_clean")
    topics: dict[str, str] = {}
    relevant: dict[str, list[str]] = {}
    rows = [row for path in query_files for row in _rows(path, QUERY_COLUMNS)]
    for number, row in enumerate(rows, start=1):
        place = f"row {number}"
        query_set = checked(query_files[0], f"{place}, query_set", row["query_set"], str)
        specificity = checked(query_files[0], f"{place}, specificity", row["specificity"], int)
        name = f"{query_set}-{specificity}-{number:0{len(str(len(rows)))}}"
        topics[name] = checked(query_files[0], f"{place}, query", row["query"], str)
        relevant[name] = [str(docno) for docno in row["corpusids"] or ()]
    return Benchmark(
        title="LitSearch",
        description=(
            "Questions that ask for papers of machine learning and language processing (Ajith et "
            "al., EMNLP 2024), as published. Only relevant papers have a label."
        ),
        origin="inline citations and authors of papers, checked by experts",
        highest_grade=1,
        documents=Papers(corpus_files),
        files={
            f"{path.parent.name}/{path.name}": sha256_of(path)
            for path in (*query_files, *corpus_files)
        },
        pools={name: dict.fromkeys(docnos, PUBLISHED) for name, docnos in relevant.items()},
        grades={name: dict.fromkeys(docnos, 1) for name, docnos in relevant.items()},
        topics=topics,
        forced=(PUBLISHED,),
    )


def _files(folder: Path, config: str) -> list[Path]:
    found = [
        path
        for ending in ("parquet", "jsonl")
        for path in sorted(folder.glob(f"{config}/*.{ending}"))
    ]
    if not found:
        raise BenchmarkError(
            f"{folder} has no file {config}/*.parquet or {config}/*.jsonl. Download it there."
        )
    return found


def _rows(path: Path, columns: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    """The rows of a file with these columns. Raises BenchmarkError if one is missing."""
    for row in _parquet(path, columns) if path.suffix == ".parquet" else _json_lines(path):
        if missing := [name for name in columns if name not in row]:
            raise BenchmarkError(f"{path.name} has no column {missing[0]}. Download it again.")
        yield row


def _parquet(path: Path, columns: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    import pyarrow
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as file:
            known = [name for name in columns if name in file.schema_arrow.names]
            for batch in file.iter_batches(TOGETHER, columns=known):
                yield from batch.to_pylist()
    except pyarrow.ArrowException as error:
        raise BenchmarkError(f"{path.name} is not Parquet: {error}. Download it again.") from error


def _json_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
            except ValueError as error:
                raise BenchmarkError(
                    f"{path.name}:{number}: not JSON: {error}. Download it again."
                ) from error
            yield checked(path, f"line {number}", row, dict)
