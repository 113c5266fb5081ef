"""Django's schema editor for SQLite, which keeps triggers and indexes of a table it rebuilds.

SQLite cannot alter a constraint, so Django makes a new table, drops the old one and renames the
new one. With the old table, SQLite drops its triggers and indexes. Django makes those indexes again
that models declare, and this editor the others, which migrations made in SQL. SQLite also refuses
to rename a table while a trigger of another table reads one that is missing.
"""

from __future__ import annotations

from typing import Any

from django.db.backends.sqlite3 import schema
from django.db.models import Model

TRIGGERS = (
    "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' "
    "AND (tbl_name = %(table)s OR instr(sql, %(table)s) > 0) ORDER BY rowid"
)
# Django begins the names of its own indexes with the table's, unless a model names them.
INDEXES = (
    "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = %(table)s "
    "AND sql IS NOT NULL AND substr(name, 1, length(%(table)s)) <> %(table)s ORDER BY rowid"
)


class DatabaseSchemaEditor(schema.DatabaseSchemaEditor):
    def _remake_table(self, model: type[Model], *args: Any, **options: Any) -> None:
        with self.connection.cursor() as cursor:
            cursor.execute(TRIGGERS, {"table": model._meta.db_table})
            triggers = cursor.fetchall()
            cursor.execute(INDEXES, {"table": model._meta.db_table})
            indexes = cursor.fetchall()
        for name, _ in triggers:
            self.execute(f"DROP TRIGGER {name}")
        super()._remake_table(model, *args, **options)  # type: ignore[misc]
        with self.connection.cursor() as cursor:
            cursor.execute(INDEXES, {"table": model._meta.db_table})
            declared = {name for name, _ in cursor.fetchall()}
        for name, definition in indexes:
            if name not in declared:
                self.execute(definition, params=None)
        for _, definition in triggers:
            self.execute(definition, params=None)
