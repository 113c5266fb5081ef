"""Rows that the rules of the database refuse, as if the rules were switched off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from database.triggers import suspended


@contextmanager
def rule_suspended(name: str, table: str) -> Iterator[None]:
    """Lift one trigger inside a test's transaction."""
    if connection.vendor == "postgresql":
        # PostgreSQL alters no table whose deferred foreign keys are still to be checked.
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    editor = connection.SchemaEditorClass(connection, atomic=False)
    with suspended(name, table=table, schema_editor=editor):
        yield
