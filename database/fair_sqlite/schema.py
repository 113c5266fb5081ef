"""Django's schema editor for SQLite, which keeps the triggers of a table that it rebuilds.

SQLite cannot alter a constraint, so Django makes a new table, drops the old one and renames the
new one. With the old table, SQLite drops its triggers. It also refuses to rename a table while a
trigger of another table reads one that is missing.
"""

from __future__ import annotations

from typing import Any

from django.db.backends.sqlite3 import schema
from django.db.models import Model

TRIGGERS = (
    "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' "
    "AND (tbl_name = %(table)s OR instr(sql, %(table)s) > 0) ORDER BY rowid"
)


class DatabaseSchemaEditor(schema.DatabaseSchemaEditor):
    def _remake_table(self, model: type[Model], *args: Any, **options: Any) -> None:
        with self.connection.cursor() as cursor:
            cursor.execute(TRIGGERS, {"table": model._meta.db_table})
            triggers = cursor.fetchall()
        for name, _ in triggers:
            self.execute(f"DROP TRIGGER {name}")
        super()._remake_table(model, *args, **options)  # type: ignore[misc]
        for _, definition in triggers:
            self.execute(definition, params=None)
