"""Triggers and partial indexes on SQLite and on PostgreSQL, as operations of migrations.

Triggers are rules that no constraint can express, and kept counts. A broken rule raises
`django.db.IntegrityError`, like any constraint, with the rule's name as its message. The `rules` of
each room state its triggers and indexes. docs/adr/0046-rules-beside-the-models.md says how a
published one changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation, OperationCategory
from django.db.migrations.state import ProjectState

JSON_FUNCTIONS = [  # names on SQLite and on PostgreSQL
    ("json_array_length(", "jsonb_array_length("),
    ("json_each(", "jsonb_array_elements_text("),
]


Change: TypeAlias = Callable[[BaseDatabaseSchemaEditor], None]


class Rule(Operation):
    """A trigger or an index. It needs no models; RunPython would render all of them each time."""

    reversible = True
    category = OperationCategory.PYTHON

    def __init__(self, create: Change, drop: Change) -> None:
        self.create = create
        self.drop = drop

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Neither is part of the models."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        self.create(schema_editor)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        self.drop(schema_editor)


def reject(name: str, *, table: str, event: str, when: str = "", columns: str = "") -> Rule:
    """Reject an `event` (INSERT, UPDATE or DELETE) on `table`, or only where `when` holds.

    `when` is SQL over OLD and NEW that both databases understand; `columns` limits an UPDATE
    ("a, b"). It may use `json_array_length(…)` and the `value`s of `json_each(…)`, as text.
    """
    of = f" OF {columns}" if columns else ""
    sqlite = (
        f"CREATE TRIGGER {name} BEFORE {event}{of} ON {table} FOR EACH ROW "
        f"{f'WHEN {when} ' if when else ''}BEGIN SELECT RAISE(ABORT, '{name}'); END"
    )
    for name_on_sqlite, name_on_postgresql in JSON_FUNCTIONS:
        when = when.replace(name_on_sqlite, name_on_postgresql)
    condition = f"IF {when} THEN" if when else "IF TRUE THEN"
    postgresql = [
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {condition} "
        f"RAISE EXCEPTION '{name}' USING ERRCODE = 'integrity_constraint_violation'; END IF; "
        "IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END $$",
        f"CREATE TRIGGER {name} BEFORE {event}{of} ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION {name}()",
    ]
    return _operation(name, table, sqlite, postgresql)


def reject_each(name: str, *, table: str, when: str, events: Mapping[str, str]) -> list[Rule]:
    """Reject several events where one condition holds; each event has its columns, or "" for all.

    The rules are `{name}_insert` and so on.
    """
    return [
        reject(f"{name}_{event.lower()}", table=table, event=event, columns=columns, when=when)
        for event, columns in events.items()
    ]


def _operation(name: str, table: str, sqlite: str, postgresql: Sequence[str]) -> Rule:
    def create(schema_editor: BaseDatabaseSchemaEditor) -> None:
        if schema_editor.connection.vendor == "postgresql":
            for statement in postgresql:
                schema_editor.execute(statement)
        else:
            schema_editor.execute(sqlite)

    def drop(schema_editor: BaseDatabaseSchemaEditor) -> None:
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
            schema_editor.execute(f"DROP FUNCTION {name}()")
        else:
            schema_editor.execute(f"DROP TRIGGER {name}")

    return Rule(create, drop)


def dropped(rule: Rule) -> Rule:
    """Drop the rule of an earlier migration, as that migration has it."""
    return Rule(rule.drop, rule.create)


def changed(*columns: str) -> str:
    """SQL that is true if an UPDATE changes one of the columns, none of which is NULL."""
    return " OR ".join(f"NEW.{column} <> OLD.{column}" for column in columns)


def keep(
    name: str,
    *,
    table: str,
    event: str,
    statements: Sequence[str],
    when: str = "",
    columns: str = "",
    lock: str = "",
) -> Rule:
    """Run `statements` for every row that an `event` changes, to keep other rows up to date.

    The statements are SQL over OLD and NEW that both databases understand. `lock` is a query whose
    rows stay locked until the end of the transaction. On PostgreSQL the statements then see what
    the transactions before committed; SQLite has one writer at a time and needs no such lock.

    On PostgreSQL the trigger of an UPDATE runs before its row changes: after it, all rows of the
    same UPDATE would have changed already, and a count of them would count twice. SQLite runs a
    trigger between two rows, before or after.
    """
    of = f" OF {columns}" if columns else ""
    condition = f"WHEN ({when}) " if when else ""
    sqlite = (
        f"CREATE TRIGGER {name} AFTER {event}{of} ON {table} FOR EACH ROW {condition}"
        f"BEGIN {'; '.join(statements)}; END"
    )
    moment, row = ("BEFORE", "NEW") if event == "UPDATE" else ("AFTER", "NULL")
    body = "".join(f"{statement}; " for statement in statements)
    locking = f"PERFORM 1 FROM ({lock} FOR UPDATE) locked; " if lock else ""
    postgresql = [
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {locking}{body}"
        f"RETURN {row}; END $$",
        f"CREATE TRIGGER {name} {moment} {event}{of} ON {table} FOR EACH ROW "
        f"{condition.replace(' IS NOT ', ' IS DISTINCT FROM ')}EXECUTE FUNCTION {name}()",
    ]
    return _operation(name, table, sqlite, postgresql)


def partial_index(
    name: str, *, table: str, columns: str, where: str, on_postgresql: str = ""
) -> Rule:
    """Index the rows `where` a condition holds, which PostgreSQL may spell in another way."""

    def create(schema_editor: BaseDatabaseSchemaEditor) -> None:
        is_postgresql = schema_editor.connection.vendor == "postgresql"
        condition = on_postgresql if on_postgresql and is_postgresql else where
        # No parameters, so that a percent sign is a percent sign.
        schema_editor.execute(
            f"CREATE INDEX {name} ON {table} ({columns}) WHERE {condition}", params=None
        )

    def drop(schema_editor: BaseDatabaseSchemaEditor) -> None:
        schema_editor.execute(f"DROP INDEX {name}")

    return Rule(create, drop)
