"""Rows that are put back as they were, past the triggers, instead of making them again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection

FILLED_BY_MIGRATIONS = {"django_content_type", "auth_permission"}  # never emptied between tests


@contextmanager
def kept_rows() -> Iterator[Callable[[], None]]:
    """Keep the rows of all tables; what is yielded puts them back, between transactions."""
    with _kept_pages() if connection.vendor == "sqlite" else _kept_tables() as put_back:
        yield put_back


@contextmanager
def _kept_pages() -> Iterator[Callable[[], None]]:
    """Those of a SQLite database: a few milliseconds, a tenth of emptying and filling tables."""
    connection.ensure_connection()
    with closing(sqlite3.connect(":memory:")) as kept:
        connection.connection.backup(kept)
        yield lambda: kept.backup(connection.connection)


@contextmanager
def _kept_tables() -> Iterator[Callable[[], None]]:
    tables = _tables()
    kept = [table for table in tables if _has_rows(table)]
    with connection.cursor() as cursor:
        for table in kept:
            cursor.execute(f"CREATE TEMPORARY TABLE kept_{table} AS SELECT * FROM {table}")

    def put_back() -> None:
        flush = connection.ops.sql_flush(no_style(), tables)
        inserts = [f"INSERT INTO {table} SELECT * FROM kept_{table}" for table in kept]
        connection.ops.execute_sql_flush([*flush, *inserts])

    try:
        yield put_back
    finally:
        with connection.cursor() as cursor:
            for table in kept:
                cursor.execute(f"DROP TABLE kept_{table}")


def all_rows() -> dict[str, Any]:
    """The rows of every table that has some, for `put_rows` in a database of the same kind."""
    read = _sqlite_rows if connection.vendor == "sqlite" else _postgresql_rows
    with connection.cursor() as cursor:
        return {table: read(cursor, table) for table in _tables() if _has_rows(table)}


def can_put_rows() -> bool:
    """Whether this account of the database may put rows past the triggers."""
    if connection.vendor == "sqlite":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SHOW is_superuser")
        return cursor.fetchone() == ("on",)


def put_rows(rows: dict[str, Any]) -> None:
    """Add them, in the open transaction."""
    if connection.vendor == "sqlite":
        _put_into_sqlite(rows)
    else:
        _put_into_postgresql(rows)


def _sqlite_rows(cursor: Any, table: str) -> tuple[str, list[tuple[Any, ...]]]:
    cursor.execute(f"SELECT name FROM pragma_table_info('{table}')")
    names = [f'"{name}"' for (name,) in cursor.fetchall()]
    # With `+`, no column is converted to a type of Python.
    cursor.execute(f"SELECT {', '.join(f'+{name}' for name in names)} FROM {table}")
    return ", ".join(names), cursor.fetchall()


def _put_into_sqlite(rows: dict[str, Any]) -> None:
    triggers = sqlite_triggers("INSERT")
    with connection.cursor() as cursor:
        for name in triggers:
            cursor.execute(f"DROP TRIGGER {name}")
        for table, (names, values) in rows.items():
            places = ", ".join(["%s"] * len(values[0]))
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({places})", values)
        for statement in triggers.values():
            cursor.execute(statement)


def _postgresql_rows(cursor: Any, table: str) -> bytes:
    with cursor.copy(f"COPY {table} TO STDOUT") as copy:
        return b"".join(bytes(part) for part in copy)


def _put_into_postgresql(rows: dict[str, Any]) -> None:
    models = [model for model in apps.get_models() if model._meta.db_table in rows]
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for table, values in rows.items():
            with cursor.copy(f"COPY {table} FROM STDIN") as copy:
                copy.write(values)
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


def _tables() -> list[str]:
    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    return sorted({*names} - FILLED_BY_MIGRATIONS)


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
