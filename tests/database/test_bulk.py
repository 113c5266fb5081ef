"""Bulk inserts: what may happen while their rows are made."""

import pytest
from django.db import transaction

from accounts.models import User
from database.bulk import insert_rows

pytestmark = pytest.mark.django_db
FIELDS = ("username", "password", "first_name", "last_name", "email", "is_superuser", "is_staff",
          "is_active", "date_joined", "must_change_password")  # fmt: skip


def row(name: str) -> tuple[object, ...]:
    return (name, "", "", "", "", False, False, True, "2026-01-01 00:00:00+00:00", False)


def test_rows_from_a_generator_are_inserted():
    insert_rows(User, FIELDS, (row(name) for name in ("ada", "bea")))
    assert sorted(User.objects.values_list("username", flat=True)) == ["ada", "bea"]


def test_a_row_that_needs_a_query_is_refused_before_it_waits_for_ever():
    def rows():
        yield row("ada")
        yield row(f"number-{User.objects.count()}")

    message = "Make the rows before the insert: one of them needed"
    with pytest.raises(RuntimeError, match=message), transaction.atomic():
        insert_rows(User, FIELDS, rows())
    assert not User.objects.exists()
