"""Rows that the rules of the database refuse, as if the rules were switched off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def rule_suspended(name: str, table: str) -> Iterator[None]:
    """Lift one trigger inside a test's transaction."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # PostgreSQL alters no table whose deferred foreign keys are still to be checked.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER {name}")
            yield
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER {name}")
            return
        cursor.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = %s", [name])
        (definition,) = cursor.fetchone()
        cursor.execute(f"DROP TRIGGER {name}")
        yield
        cursor.execute(definition)
