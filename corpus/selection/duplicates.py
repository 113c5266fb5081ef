"""Duplicate docnos and unresolved references of an import. Pure.

Both are kept on disk. In memory, the docnos and references of a million documents would take
gigabytes.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

import numpy as np

from corpus.temporary_database import TemporaryDatabase

REFERENCES_PER_CHUNK = 1_000_000  # 8 MB


class LinePosition(NamedTuple):
    """The position of a line: the number of its file in the source, and its line number there."""

    file: int
    line: int


class Docnos(TemporaryDatabase):
    """The docnos of the lines so far, each with its first position and a digest of that line."""

    def __init__(self) -> None:
        super().__init__(
            "document (docno TEXT PRIMARY KEY, digest BLOB, file INTEGER, line INTEGER) "
            "WITHOUT ROWID"
        )

    def add(
        self, lines: list[tuple[str, bytes, LinePosition]]
    ) -> list[tuple[LinePosition, bool] | None]:
        """Add lines (docno, digest, position) in their order.

        For each line: None if its docno is new. Otherwise the first position of the docno, and
        whether the line there has the same digest.
        """
        before = self._database.total_changes
        self.insert(
            "OR IGNORE INTO document VALUES (?, ?, ?, ?)",
            ((docno, digest, *position) for docno, digest, position in lines),
        )
        if self._database.total_changes - before == len(lines):
            return [None] * len(lines)
        return [self._earlier(*line) for line in lines]

    def _earlier(
        self, docno: str, digest: bytes, position: LinePosition
    ) -> tuple[LinePosition, bool] | None:
        first_digest, *first = self._database.execute(
            "SELECT digest, file, line FROM document WHERE docno = ?", (docno,)
        ).fetchone()
        earlier = LinePosition(*first)
        return None if earlier == position else (earlier, first_digest == digest)


class References:
    """Counts references, and the references to unknown documents.

    Docnos are compared by Python's 64-bit hash, which is constant within a process. With two
    million docnos and forty million references, a collision happens in one of some hundred thousand
    imports. It would make the count wrong by one.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._docnos = array("q")
        self._buffer = array("q")
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115 (closed by close)
        self._count = 0

    def close(self) -> None:
        self._file.close()

    def add_docnos(self, docnos: Iterable[str]) -> None:
        self._docnos.extend(map(hash, docnos))

    def add(self, docnos: tuple[str, ...]) -> None:
        self._buffer.extend(map(hash, docnos))
        if len(self._buffer) >= REFERENCES_PER_CHUNK:
            self._flush()

    def counts(self) -> tuple[int, int]:
        """The number of references, and the number of those to unknown documents."""
        self._flush()
        self._file.seek(0)
        hashes = np.unique(np.frombuffer(self._docnos, dtype=np.int64))
        unknown = 0
        while chunk := self._file.read(8 * REFERENCES_PER_CHUNK):
            unknown += int(np.isin(np.frombuffer(chunk, np.int64), hashes, invert=True).sum())
        return self._count, unknown

    def _flush(self) -> None:
        self._count += len(self._buffer)
        self._buffer.tofile(self._file)
        self._buffer = array("q")


def content_digest(*values: object) -> bytes:
    """A digest of 16 bytes of the values."""
    return hashlib.blake2b(repr(values).encode(), digest_size=16).digest()
