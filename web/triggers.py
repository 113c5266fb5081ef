"""Triggers on SQLite and PostgreSQL from one declaration, as operations of migrations.

Only for what must hold against any code: append-only rows, exactly two judges, frozen pools, published releases.
A broken rule raises `django.db.IntegrityError` with the rule's name as its message.
"""

from __future__ import annotations

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class Reject(Operation):
    """Reject an event (INSERT, UPDATE, DELETE) on a table, or only where `when` holds.

    `when` is SQL over OLD and NEW that both databases understand; `columns` limits an UPDATE ("a, b").
    """

    reversible = True

    def __init__(self, name: str, *, table: str, event: str, when: str = "", columns: str = "") -> None:
        self.name, self.table, self.event, self.when, self.columns = name, table, event, when, columns

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        pass

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        moment = f"BEFORE {self.event}{f' OF {self.columns}' if self.columns else ''} ON {self.table} FOR EACH ROW"
        if schema_editor.connection.vendor == "sqlite":
            condition = f"WHEN {self.when} " if self.when else ""
            schema_editor.execute(
                f"CREATE TRIGGER {self.name} {moment} {condition}BEGIN SELECT RAISE(ABORT, '{self.name}'); END"
            )
            return
        schema_editor.execute(
            f"CREATE FUNCTION {self.name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF {self.when or 'TRUE'} THEN "
            f"RAISE EXCEPTION '{self.name}' USING ERRCODE = 'integrity_constraint_violation'; END IF; "
            "IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END $$"
        )
        schema_editor.execute(f"CREATE TRIGGER {self.name} {moment} EXECUTE FUNCTION {self.name}()")

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        if schema_editor.connection.vendor == "sqlite":
            schema_editor.execute(f"DROP TRIGGER {self.name}")
        else:
            schema_editor.execute(f"DROP TRIGGER {self.name} ON {self.table}")
            schema_editor.execute(f"DROP FUNCTION {self.name}()")

    def describe(self) -> str:
        return f"Reject {self.event} on {self.table}: {self.name}"


def append_only(table: str) -> list[Reject]:
    """Rows of the table are never changed or deleted."""
    return [
        Reject(f"{table}_no_update", table=table, event="UPDATE"),
        Reject(f"{table}_no_delete", table=table, event="DELETE"),
    ]
