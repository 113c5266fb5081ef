"""What an import has seen so far: docnos, to find repeated lines, and references, to count. Pure.

Both are kept on disk. In memory the docnos of a million documents and what they cite would take
gigabytes.
"""

from __future__ import annotations

import hashlib
import sqlite3
from array import array
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

import numpy as np

REFERENCES_AT_ONCE = 1_000_000  # 8 MB


class Place(NamedTuple):
    """Where a line stands: the file by its number in the source, and the line's number in it."""

    file: int
    line: int


class Docnos:
    """The docnos of the lines so far, where each stands first, and a digest of what that said."""

    def __init__(self) -> None:
        # An empty name is SQLite's temporary database: it grows into a file that only we see.
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA cache_size = -65536")  # KiB: 64 MiB
        self._database.execute(
            "CREATE TABLE document (docno TEXT PRIMARY KEY, digest BLOB, file INTEGER, "
            "line INTEGER) WITHOUT ROWID"
        )

    def close(self) -> None:
        self._database.close()

    def add(self, lines: list[tuple[str, bytes, Place]]) -> list[tuple[Place, bool] | None]:
        """Note lines (docno, digest, place), in their order.

        For each: None if its docno is new, otherwise where that stands first and whether that
        line has the same digest.
        """
        before = self._database.total_changes
        self._database.execute("BEGIN")
        self._database.executemany(
            "INSERT OR IGNORE INTO document VALUES (?, ?, ?, ?)",
            ((docno, digest, *place) for docno, digest, place in lines),
        )
        self._database.execute("COMMIT")
        if self._database.total_changes - before == len(lines):
            return [None] * len(lines)
        return [self._earlier(*line) for line in lines]

    def _earlier(self, docno: str, digest: bytes, place: Place) -> tuple[Place, bool] | None:
        kept, *first = self._database.execute(
            "SELECT digest, file, line FROM document WHERE docno = ?", (docno,)
        ).fetchone()
        earlier = Place(*first)
        return None if earlier == place else (earlier, kept == digest)


class References:
    """Counts references, and those that lead to no known document.

    Docnos are compared by Python's 64-bit hash, the same throughout one process: that two of two
    million docnos and forty million references share one by chance happens in one import of some
    hundred thousand, and would make a count wrong by one.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._known = array("q")
        self._waiting = array("q")
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115 (closed by close)
        self._count = 0

    def close(self) -> None:
        self._file.close()

    def know(self, docnos: Iterable[str]) -> None:
        self._known.extend(map(hash, docnos))

    def add(self, docnos: tuple[str, ...]) -> None:
        self._waiting.extend(map(hash, docnos))
        if len(self._waiting) >= REFERENCES_AT_ONCE:
            self._flush()

    def counts(self) -> tuple[int, int]:
        """How many references there are, and how many of them lead to no known document."""
        self._flush()
        self._file.seek(0)
        known = np.unique(np.frombuffer(self._known, dtype=np.int64))
        unknown = 0
        while chunk := self._file.read(8 * REFERENCES_AT_ONCE):
            unknown += int(np.isin(np.frombuffer(chunk, np.int64), known, invert=True).sum())
        return self._count, unknown

    def _flush(self) -> None:
        self._count += len(self._waiting)
        self._waiting.tofile(self._file)
        self._waiting = array("q")


def content_digest(*values: object) -> bytes:
    """16 bytes that differ where the values do."""
    return hashlib.blake2b(repr(values).encode(), digest_size=16).digest()
