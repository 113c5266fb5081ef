"""Sorts texts by docno on disk, in constant memory.

An index that is always written in the same order has the same ties on every machine.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from retrieval.interface import (
    DuplicateDocument,
    Field,
    IndexedText,
    NothingToIndex,
    Progress,
    field_of,
)

CHUNK_DOCUMENTS = 20_000  # documents sorted in memory at a time, some 30 MB of abstracts
BEAT = 1_000  # documents between two reports of progress


@dataclass(frozen=True)
class SortedTexts:
    """(docno, text) pairs on disk; iterate as often as needed, docno descending.

    Ties are ranked in this order. So a document's position in it, its **ordinal**, breaks ties in
    every index that numbers documents.
    """

    chunks: tuple[Path, ...]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        previous = None
        for docno, text in heapq.merge(*map(_read_chunk, self.chunks), reverse=True):
            if docno == previous:
                raise DuplicateDocument(
                    f"the docno {docno} is repeated; give every document its own docno"
                )
            previous = docno
            yield docno, text


def sort_texts(
    documents: Iterable[IndexedText], field: Field, scratch: Path, progress: Progress
) -> SortedTexts:
    """Write a field of the documents to sorted chunks; raises NothingToIndex without documents."""
    return sort_pairs(
        ((document.docno, field_of(document, field)) for document in documents), scratch, progress
    )


def sort_pairs(values: Iterable[tuple[str, str]], scratch: Path, progress: Progress) -> SortedTexts:
    """Write (docno, value) pairs to sorted chunks; raises NothingToIndex without pairs."""
    value_iterator = iter(values)
    chunks: list[Path] = []
    while chunk := list(islice(value_iterator, CHUNK_DOCUMENTS)):
        progress(0)
        chunks.append(_write_chunk(scratch / f"{len(chunks)}.jsonl", sorted(chunk, reverse=True)))
    if not chunks:
        raise NothingToIndex("there are no documents to index")
    return SortedTexts(tuple(chunks))


def nothing_in(field: Field) -> NothingToIndex:
    """The error for a field in which no document has a word."""
    return NothingToIndex(f"no document has a word in its {field}, so there is nothing to index")


def _write_chunk(path: Path, chunk: list[tuple[str, str]]) -> Path:
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(pair) + "\n" for pair in chunk)
    return path


def _read_chunk(path: Path) -> Iterator[tuple[str, str]]:
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            docno, text = json.loads(line)
            yield docno, text
