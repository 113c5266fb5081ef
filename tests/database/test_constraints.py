"""Every constraint and trigger refuses the row that breaks it, and says its own name.

The modules of `tests/database/rules` hold the ways to break the rules of each room, past the
services. A rule without a case fails `test_every_rule_has_a_case`. To add a case, name the rule and
write a row that breaks only it: `again` inserts a copy of a row with some values changed, `change`
updates a row, `delete` deletes it. A rule is called by the name of its constraint or trigger, a
unique field by `table.column`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from django.apps import apps
from django.conf import settings
from django.db import IntegrityError, connection, models, transaction

from tests.database.rules import (
    accounts,
    adjudication,
    annotation,
    blind_ratings,
    consent,
    corpus,
    curation,
    entrance,
    evaluation,
    help_requests,
    jobs,
    notices,
    pooling,
    practice,
    questions,
    release,
    reports,
    retrieval,
    scoring,
    studies,
)
from tests.database.rules.world import Case, World, build_world

pytestmark = pytest.mark.django_db

ROOMS = (
    accounts,
    entrance,
    jobs,
    corpus,
    curation,
    retrieval,
    pooling,
    annotation,
    adjudication,
    blind_ratings,
    questions,
    help_requests,
    notices,
    consent,
    practice,
    studies,
    scoring,
    reports,
    evaluation,
    release,
)
CASES = [case for room in ROOMS for case in room.CASES]
ROOM_NAMES = [room.__name__.rpartition(".")[2] for room in ROOMS]


@pytest.fixture(scope="module", autouse=True)
def world(django_db_setup, django_db_blocker):
    """Built once. Every case breaks its rule in a savepoint of its own."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield build_world()
        transaction.set_rollback(True)


@pytest.mark.parametrize("room", ROOMS, ids=ROOM_NAMES)
def test_a_row_that_breaks_the_rule_is_refused_by_its_name(world, room):
    refused_by = [(case, rule_that_refuses(world, case)) for case in room.CASES]

    assert [(case, rule) for case, rule in refused_by if rule != case.rule] == []


def test_every_rule_has_a_case():
    with_cases = {case.rule for case in CASES}
    refusing = {name for name in triggers() if not name.startswith(("count_", "mark_", "drop_"))}
    rules = {*named_constraints(), *(unique.rule for unique in unique_rules()), *refusing}

    assert sorted(rules - with_cases) == [], "add a case for each of these rules to CASES"
    assert sorted(with_cases - rules) == [], "these rules are gone; remove their cases"


def test_the_columns_of_a_unique_rule_name_it():
    """SQLite tells the columns of a broken unique rule: they must belong to no other rule."""
    columns = [unique.columns for unique in unique_rules()]

    assert [unique for unique in unique_rules() if columns.count(unique.columns) > 1] == []


def rule_that_refuses(world: World, case: Case) -> str | None:
    """The rule that the database names, or `None` where it accepts the row."""
    rule = None
    with transaction.atomic():
        for trigger in case.behind:
            drop_trigger(trigger)
        try:
            with transaction.atomic():
                case.broken_by(world)
        except IntegrityError as error:
            rule = broken_rule(error)
        transaction.set_rollback(True)
    return rule


def broken_rule(error: IntegrityError) -> str:
    """The rule that the database names. SQLite names the columns of a unique rule instead."""
    if connection.vendor == "postgresql":
        diagnostics = error.__cause__.diag
        name = diagnostics.constraint_name or diagnostics.message_primary
        return next((unique.rule for unique in unique_rules() if unique.index == name), name)
    message = str(error)
    if message.startswith("UNIQUE constraint failed: "):
        columns = frozenset(message.removeprefix("UNIQUE constraint failed: ").split(", "))
        return next(unique.rule for unique in unique_rules() if unique.columns == columns)
    return message.removeprefix("CHECK constraint failed: ")


def own_models() -> list[type[models.Model]]:
    """The models of the apps in this repository, without proxies, which have no table."""
    return [
        model
        for config in apps.get_app_configs()
        if Path(config.path).parent == settings.BASE_DIR
        for model in config.get_models()
        if not model._meta.proxy
    ]


def named_constraints() -> set[str]:
    return {constraint.name for model in own_models() for constraint in model._meta.constraints}


class Unique(NamedTuple):
    """A unique index: its rule's name in `CASES`, its columns as `table.column`, its own name."""

    rule: str
    columns: frozenset[str]
    index: str


@cache
def unique_rules() -> list[Unique]:
    """Every unique index of the database except those of primary keys. No case changes one."""
    return [
        Unique(rule_of(model, columns), columns, index)
        for model in own_models()
        for index, columns in unique_indexes(model._meta.db_table)
    ]


def rule_of(model: type[models.Model], columns: frozenset[str]) -> str:
    table = model._meta.db_table
    for constraint in model._meta.constraints:
        fields = getattr(constraint, "fields", ())
        if columns == {f"{table}.{model._meta.get_field(name).column}" for name in fields}:
            return constraint.name
    return ", ".join(sorted(columns))


def unique_indexes(table: str) -> Iterator[tuple[str, frozenset[str]]]:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT c.relname, a.attname FROM pg_index i "
                "JOIN pg_class c ON c.oid = i.indexrelid "
                "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey) "
                "WHERE i.indrelid = %s::regclass AND i.indisunique AND NOT i.indisprimary",
                [table],
            )
        else:
            cursor.execute(
                "SELECT i.name, c.name FROM pragma_index_list(%s) i, pragma_index_info(i.name) c "
                "WHERE i.\"unique\" AND i.origin <> 'pk'",
                [table],
            )
        columns = defaultdict(set)
        for index, column in cursor.fetchall():
            columns[index].add(f"{table}.{column}")
    yield from ((index, frozenset(names)) for index, names in columns.items())


def triggers() -> dict[str, str]:
    """Every trigger that the migrations made, and its table."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT t.tgname, c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
                "WHERE NOT t.tgisinternal"
            )
        else:
            cursor.execute("SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'")
        return dict(cursor.fetchall())


def drop_trigger(name: str) -> None:
    table = triggers()[name]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # PostgreSQL alters no table whose deferred foreign keys are still to be checked.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(f"DROP TRIGGER {name} ON {table}")
        else:
            cursor.execute(f"DROP TRIGGER {name}")
