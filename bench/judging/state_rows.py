"""Rows that are inserted in bulk: their batches, times and keys, and the statistics of tables."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from jobs.context import DirectRun

Row = TypeVar("Row")


BEGINNING = datetime(2026, 1, 5, 8, tzinfo=UTC)
BATCH = 50  # queries in a transaction


class Times:
    """The next time of a row, as both databases read it."""

    def __init__(self) -> None:
        self.now = BEGINNING

    def tick(self, seconds: float) -> str:
        self.now += timedelta(seconds=seconds)
        return f"{self.now:%Y-%m-%d %H:%M:%S.%f}"


def numbers(keys: Iterable[int]) -> str:
    """Primary keys for SQL. They come from the database and are whole numbers."""
    return ", ".join(f"{key:d}" for key in keys)


def keys_of(count: int, rng: np.random.Generator) -> list[str]:
    """UUIDs in hexadecimal."""
    drawn = rng.bytes(16 * count).hex()
    return [drawn[start : start + 32] for start in range(0, len(drawn), 32)]


def batches(rows: Iterable[Row], size: int) -> Iterator[tuple[Row, ...]]:
    """`itertools.batched`, which Python 3.11 has not."""
    left = iter(rows)
    while batch := tuple(islice(left, size)):
        yield batch


def analyzed(batches: Iterable[Row]) -> Iterator[Row]:
    """The batches, with statistics renewed after the first and the eighth.

    The triggers' plans on PostgreSQL were made for empty tables, so they would read whole ones.
    """
    for number, batch in enumerate(batches):
        if number in (1, 8):
            analyze()
        yield batch


def analyze() -> None:
    """PostgreSQL does this by itself, but too late here. On SQLite, Qrelsmith never does it."""
    _on_all_tables("ANALYZE")


def reclaim_space() -> None:
    """Drop dead rows on PostgreSQL, outside a transaction.

    The rows of this state come from a few large transactions, which leave a table of counts 60
    times its size. Single judgments reuse the space of dead rows.
    """
    _on_all_tables("VACUUM FULL ANALYZE")


def _on_all_tables(statement: str) -> None:
    from django.db import connection

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            # Without names it would also lock the catalogs that all databases share.
            tables = connection.introspection.django_table_names(only_existing=True)
            names = ", ".join(map(connection.ops.quote_name, tables))
            cursor.execute(f"{statement} {names}")


def work() -> DirectRun:
    from jobs.context import DirectRun

    return DirectRun(io.StringIO())
