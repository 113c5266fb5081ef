"""Reading much of the database as it is at one moment, in parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Protocol, TypeVar, cast

from django.db import connection, transaction
from django.db.models.functions import Collate

Item = TypeVar("Item")


READ_TOGETHER = 40  # queries or pools, a few thousand pairs or candidates


class SQLite(Protocol):
    transaction_mode: str | None


@contextmanager
def consistent_read() -> Iterator[None]:
    """A transaction for reading, all of whose queries see the same state while others write.

    PostgreSQL has to be asked for the one state. SQLite has to be asked for a transaction that
    begins without the write lock, which this project's other transactions take at once.
    """
    with ExitStack() as transactions:
        with _deferred():
            transactions.enter_context(transaction.atomic(durable=True))
        # A savepoint means that this is inside a test's transaction, which has begun already.
        if connection.vendor == "postgresql" and not connection.savepoint_ids:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


@contextmanager
def _deferred() -> Iterator[None]:
    """Transactions that begin in here take SQLite's write lock only when they write."""
    if connection.vendor != "sqlite":
        yield
        return
    sqlite = cast(SQLite, connection)
    connection.ensure_connection()  # Django sets the mode when it connects
    mode = sqlite.transaction_mode
    sqlite.transaction_mode = "DEFERRED"
    try:
        yield
    finally:
        sqlite.transaction_mode = mode


def by_code_point(column: str) -> Collate:
    """Order by a text column as Python does, whatever the database's own collation."""
    return Collate(column, "C" if connection.vendor == "postgresql" else "BINARY")


def batched(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """The items in parts of at most `size`, in order."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
