"""Writes that are worth less than the wait for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.db.utils import OperationalError

from database.fair_sqlite.base import is_locked


@contextmanager
def skip_if_busy() -> Iterator[None]:
    """Leave the block at its first statement that would wait for another writer of SQLite.

    For a single statement outside of a transaction. PostgreSQL locks rows, not the database, so
    there it runs as usual.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        (milliseconds,) = cursor.fetchone()
        cursor.execute("PRAGMA busy_timeout = 0")
        try:
            yield
        except OperationalError as error:
            if not is_locked(error):
                raise
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {milliseconds}")
