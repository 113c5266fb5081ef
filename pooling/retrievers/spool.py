"""Texts in an order of their own, however they arrive, and in constant memory.

An index that is always written in the same order has the same ties on every machine.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pooling.retrievers.interface import (
    DuplicateDocument,
    Field,
    IndexedText,
    NothingToIndex,
    Progress,
    field_of,
)

PART = 20_000  # documents sorted in memory at a time, some 30 MB of abstracts
BEAT = 1_000  # documents between two reports of progress


@dataclass(frozen=True)
class Spool:
    """(docno, text) pairs on disk; iterate as often as needed, docno descending.

    That is the order in which ties are ranked, so the position in it, the **ordinal**, breaks
    ties wherever an index knows documents by number.
    """

    parts: tuple[Path, ...]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        previous = None
        for docno, text in heapq.merge(*map(_read_part, self.parts), reverse=True):
            if docno == previous:
                raise DuplicateDocument(f"document {docno} was given twice")
            previous = docno
            yield docno, text


def spool(
    documents: Iterable[IndexedText], field: Field, scratch: Path, progress: Progress
) -> Spool:
    """Put one field of the documents on disk in sorted parts; raises NothingToIndex for none."""
    return spool_values(((one.docno, field_of(one, field)) for one in documents), scratch, progress)


def spool_values(values: Iterable[tuple[str, str]], scratch: Path, progress: Progress) -> Spool:
    """Put (docno, value) pairs on disk in sorted parts; raises NothingToIndex for none."""
    rest = iter(values)
    parts: list[Path] = []
    while chunk := list(islice(rest, PART)):
        progress(0)
        parts.append(_write_part(scratch / f"{len(parts)}.jsonl", sorted(chunk, reverse=True)))
    if not parts:
        raise NothingToIndex("there are no documents to index")
    return Spool(tuple(parts))


def nothing_in(field: Field) -> NothingToIndex:
    """The error for documents that have no word in a field."""
    return NothingToIndex(f"no document has a word in its {field}, so there is nothing to index")


def _write_part(path: Path, chunk: list[tuple[str, str]]) -> Path:
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(pair) + "\n" for pair in chunk)
    return path


def _read_part(path: Path) -> Iterator[tuple[str, str]]:
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            docno, text = json.loads(line)
            yield docno, text
