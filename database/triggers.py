"""Rules about rows that a constraint cannot say, as triggers on SQLite and on PostgreSQL.

Each function returns a migration operation. A broken rule raises `django.db.IntegrityError`, like
any constraint, with the rule's name as its message.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def reject(
    name: str, *, table: str, event: str, when: str = "", columns: str = ""
) -> migrations.RunPython:
    """Reject an `event` (INSERT, UPDATE or DELETE) on `table`, or only where `when` holds.

    `when` is SQL over OLD and NEW that both databases understand; `columns` limits an UPDATE
    ("a, b").
    """
    of = f" OF {columns}" if columns else ""
    sqlite = (
        f"CREATE TRIGGER {name} BEFORE {event}{of} ON {table} FOR EACH ROW "
        f"{f'WHEN {when} ' if when else ''}BEGIN SELECT RAISE(ABORT, '{name}'); END"
    )
    condition = f"IF {when} THEN" if when else "IF TRUE THEN"
    postgresql = [
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {condition} "
        f"RAISE EXCEPTION '{name}' USING ERRCODE = 'integrity_constraint_violation'; END IF; "
        "IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END $$",
        f"CREATE TRIGGER {name} BEFORE {event}{of} ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION {name}()",
    ]

    def create(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
        if schema_editor.connection.vendor == "postgresql":
            for statement in postgresql:
                schema_editor.execute(statement)
        else:
            schema_editor.execute(sqlite)

    def drop(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
            schema_editor.execute(f"DROP FUNCTION {name}()")
        else:
            schema_editor.execute(f"DROP TRIGGER {name}")

    return migrations.RunPython(create, drop)


def lifted(rule: migrations.RunPython) -> migrations.RunPython:
    """Remove a rule that an earlier migration made; to replace it, `reject` under the same name."""
    assert rule.reverse_code is not None
    return migrations.RunPython(rule.reverse_code, rule.code)


def append_only(table: str) -> list[migrations.RunPython]:
    """Rows of `table` are written once: no update, no delete."""
    return [
        reject(f"{table}_never_edited", table=table, event="UPDATE"),
        reject(f"{table}_never_deleted", table=table, event="DELETE"),
    ]


@contextmanager
def suspended(name: str, *, table: str, schema_editor: BaseDatabaseSchemaEditor) -> Iterator[None]:
    """Lift the rule `name` of `table` inside a migration that changes rows it protects."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"ALTER TABLE {table} DISABLE TRIGGER {name}")
        yield
        schema_editor.execute(f"ALTER TABLE {table} ENABLE TRIGGER {name}")
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = %s", [name])
        (definition,) = cursor.fetchone()
    schema_editor.execute(f"DROP TRIGGER {name}")
    yield
    schema_editor.execute(definition)
