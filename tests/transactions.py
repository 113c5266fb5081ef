"""Real transactions that meet, on PostgreSQL: SQLite has one writer at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction

from web.errors import AppError

# `pytestmark = REAL_TRANSACTIONS` of a test file.
REAL_TRANSACTIONS = [
    pytest.mark.postgresql,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time."),
    pytest.mark.django_db(transaction=True),
]


def meet(first: Callable[[], object], second: Callable[[], object]) -> AppError | None:
    """Keep the transaction of `first` open until that of `second` waits for it. Returns the error of `second`."""

    def in_thread() -> AppError | None:
        try:
            second()
        except AppError as error:
            return error
        finally:
            connection.close()
        return None

    with ThreadPoolExecutor(1) as thread:
        with transaction.atomic(), connection.cursor() as cursor:
            first()
            other = thread.submit(in_thread)
            waits = False
            while not waits and not other.done():
                cursor.execute("SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted)")
                (waits,) = cursor.fetchone()
            assert waits, "the two did not meet"
        return other.result(timeout=30)


def together(*acts: Callable[[], Any]) -> list[Any]:
    """Run the acts at once, each on its own connection; what each returned, or the error it raised."""
    start = threading.Barrier(len(acts))

    def run(act: Callable[[], Any]) -> Any:
        try:
            start.wait()
            return act()
        except AppError as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as threads:
        return list(threads.map(run, acts))
