"""Rows that a test with real transactions puts back as they were, instead of making them again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.core.management.color import no_style
from django.db import connection

FILLED_BY_MIGRATIONS = {"django_content_type", "auth_permission"}  # never emptied between tests


@contextmanager
def kept_rows() -> Iterator[Callable[[], None]]:
    """Keep the rows of all tables; what is yielded puts them back, past the triggers."""
    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    tables = sorted({*names} - FILLED_BY_MIGRATIONS)
    kept = [table for table in tables if _has_rows(table)]
    with connection.cursor() as cursor:
        for table in kept:
            cursor.execute(f"CREATE TEMPORARY TABLE kept_{table} AS SELECT * FROM {table}")

    def put_back() -> None:
        flush = connection.ops.sql_flush(no_style(), tables)
        triggers = sqlite_triggers("INSERT") if connection.vendor == "sqlite" else {}
        drops = [f"DROP TRIGGER {name}" for name in triggers]
        inserts = [f"INSERT INTO {table} SELECT * FROM kept_{table}" for table in kept]
        connection.ops.execute_sql_flush([*flush, *drops, *inserts, *triggers.values()])

    try:
        yield put_back
    finally:
        with connection.cursor() as cursor:
            for table in kept:
                cursor.execute(f"DROP TABLE kept_{table}")


def _has_rows(table: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT 1 FROM {table} LIMIT 1")
        return cursor.fetchone() is not None


def sqlite_triggers(event: str) -> dict[str, str]:
    """The statements that make the triggers on this event, by name."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND sql LIKE %s",
            [f"%{event} ON%"],
        )
        return dict(cursor.fetchall())
