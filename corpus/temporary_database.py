"""Rows on disk that an import looks up, so that memory does not grow with its files. Pure."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

CACHE = -65_536  # KiB: 64 MiB


class TemporaryDatabase:
    """A database that SQLite moves to a private file as it grows. It ends when it is closed."""

    def __init__(self, *tables: str) -> None:
        # The empty name is a temporary database.
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute(f"PRAGMA cache_size = {CACHE}")
        for table in tables:
            self._database.execute(f"CREATE TABLE {table}")

    def close(self) -> None:
        self._database.close()

    def insert(self, into: str, rows: Iterable[tuple[object, ...]]) -> None:
        """Insert rows in one transaction. `into` is the statement after INSERT."""
        self._database.execute("BEGIN")
        self._database.executemany(f"INSERT {into}", rows)
        self._database.execute("COMMIT")
