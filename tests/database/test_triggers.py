"""Operations of migrations that make and drop triggers and indexes."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.models import Collection
from database.triggers import Rule, changed, dropped, partial_index, reject
from tests.support.factories import a_collection

pytestmark = pytest.mark.django_db(transaction=True)
RULE = {"table": "accounts_collection", "event": "UPDATE", "columns": "name, description"}
OLD = reject("collection_text_stays", **RULE, when=changed("name", "description"))
NEW = reject("collection_text_stays", **RULE, when=changed("name"))


@pytest.fixture
def collection():
    yield a_collection()
    apply(dropped(NEW))


def apply(*rules: Rule) -> None:
    with connection.schema_editor() as editor:
        for rule in rules:
            rule.database_forwards("accounts", editor, None, None)


def refused(**values: str) -> bool:
    with transaction.atomic():
        try:
            Collection.objects.update(**values)
        except IntegrityError:
            transaction.set_rollback(True)
            return True
    return False


def test_a_rule_is_replaced_by_dropping_it_first(collection):
    apply(OLD)
    assert refused(name="Other")
    assert refused(description="Other")

    apply(dropped(OLD), NEW)
    assert refused(name="Other")
    assert not refused(description="Other")


def test_an_index_may_have_another_condition_on_postgresql():
    index = partial_index(
        "long_name",
        table="accounts_collection",
        columns="slug",
        where="name GLOB '*[%]*'",
        on_postgresql="name ~ '[%]'",
    )

    apply(index)
    with connection.cursor() as cursor:
        named = connection.introspection.get_constraints(cursor, "accounts_collection")
    apply(dropped(index))

    assert named["long_name"]["columns"] == ["slug"]
    with connection.cursor() as cursor:
        left = connection.introspection.get_constraints(cursor, "accounts_collection")
    assert "long_name" not in left
