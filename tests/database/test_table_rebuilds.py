"""A migration that rebuilds a table on SQLite keeps the rules and counts of triggers."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, models, transaction

from accounts.models import Membership, Role
from corpus.models import Document
from tests.support.factories import a_collection, an_open_query

pytestmark = pytest.mark.django_db(transaction=True)
(ROLES,) = (
    constraint
    for constraint in Membership._meta.constraints
    if constraint.name == "membership_role_known"
)
ONE_MORE_ROLE = models.CheckConstraint(
    condition=models.Q(role__in=[*Role.values, "observer"]), name=ROLES.name
)


@pytest.fixture(autouse=True)
def _on_sqlite():
    if connection.vendor != "sqlite":
        pytest.skip("needs SQLite: it rebuilds tables")


def triggers() -> set[tuple[str, str, str]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
        return set(cursor.fetchall())


def indexes(model: type[models.Model]) -> set[str]:
    with connection.cursor() as cursor:
        return set(connection.introspection.get_constraints(cursor, model._meta.db_table))


def replace_constraint(old: models.CheckConstraint, new: models.CheckConstraint) -> None:
    """What `makemigrations` writes for a new role."""
    with connection.schema_editor() as editor:
        editor.remove_constraint(Membership, old)
        editor.add_constraint(Membership, new)


@pytest.fixture
def _with_one_more_role():
    replace_constraint(ROLES, ONE_MORE_ROLE)
    yield
    replace_constraint(ONE_MORE_ROLE, ROLES)


def test_a_new_role_keeps_every_trigger():
    before = triggers()

    replace_constraint(ROLES, ONE_MORE_ROLE)
    during = triggers()
    replace_constraint(ONE_MORE_ROLE, ROLES)

    assert before
    assert before == during == triggers()


def test_a_rebuilt_table_keeps_the_indexes_that_migrations_made():
    has_year = models.CheckConstraint(
        condition=models.Q(year=None) | models.Q(year__gt=0), name="document_year_is_positive"
    )
    before = indexes(Document)

    with connection.schema_editor() as editor:
        editor.add_constraint(Document, has_year)
        editor.remove_constraint(Document, has_year)

    assert "release_docno_with_white_space" in before
    assert indexes(Document) == before


@pytest.mark.usefixtures("_with_one_more_role")
def test_the_rules_of_a_rebuilt_table_still_hold():
    collection = a_collection()
    an_open_query(collection)
    annotators = collection.memberships.filter(role=Role.ANNOTATOR)

    with pytest.raises(IntegrityError, match="pairs_to_judge_stays"), transaction.atomic():
        annotators.delete()
    with pytest.raises(IntegrityError, match="pairs_to_judge_stays_update"), transaction.atomic():
        annotators.update(role="observer")
