"""Rows that tests keep come back as they were, and the rules about rows hold again."""

import pytest
from django.db import connection, transaction

from tests.support.factories import a_collection, an_open_query
from tests.support.kept_rows import all_rows, put_rows, sqlite_triggers
from tests.support.sittings import judge_both

pytestmark = pytest.mark.django_db


def rules_of_now():
    if connection.vendor == "sqlite":
        return sqlite_triggers("INSERT")
    with connection.cursor() as cursor:
        cursor.execute("SHOW session_replication_role")
        return cursor.fetchone()


def test_kept_rows_come_back_as_they_were_under_the_same_rules():
    rules, before = rules_of_now(), all_rows()
    with transaction.atomic():
        collection = a_collection()
        judge_both(an_open_query(collection), (0, 3))
        kept = all_rows()
        transaction.set_rollback(True)
    assert all_rows() == before

    put_rows({table: rows for table, rows in kept.items() if table not in before})

    assert all_rows() == kept
    assert rules_of_now() == rules
    assert a_collection("another").pk > collection.pk
