"""SQLite's writers wait their turn, and no longer than the timeout."""

from __future__ import annotations

import threading

import pytest
from django.db import OperationalError, connection, transaction

from accounts.models import User
from tests.support.factories import UserFactory
from tests.support.running import at_once

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _on_sqlite():
    if connection.vendor != "sqlite":
        pytest.skip("needs SQLite")


def busy_timeout() -> int:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        return cursor.fetchone()[0]


def test_a_transaction_begins_when_the_other_writer_has_committed():
    writing, may_end = threading.Event(), threading.Event()

    def first():
        with transaction.atomic():
            UserFactory(username="first")
            writing.set()
            may_end.wait(10)

    def second():
        writing.wait(10)
        threading.Timer(0.2, may_end.set).start()
        with transaction.atomic():
            return User.objects.filter(username="first").exists()

    assert at_once([first, second]) == [None, True]


def test_a_writer_who_waits_too_long_is_told_that_the_database_is_locked(settings):
    connection.settings_dict["OPTIONS"]["timeout"], before = (
        0.05,
        connection.settings_dict["OPTIONS"]["timeout"],
    )
    writing, may_end = threading.Event(), threading.Event()

    def hold():
        with transaction.atomic():
            UserFactory(username="holder")
            writing.set()
            may_end.wait(10)

    holder = threading.Thread(target=lambda: at_once([hold]))
    holder.start()
    writing.wait(10)
    try:
        with pytest.raises(OperationalError, match="database is locked"), transaction.atomic():
            pytest.fail("began while another transaction holds the lock")
        assert not connection.in_atomic_block
        assert busy_timeout() == 50  # of single statements, which wait as before
    finally:
        may_end.set()
        holder.join()
        connection.settings_dict["OPTIONS"]["timeout"] = before
    with transaction.atomic():
        UserFactory(username="next")
    assert User.objects.filter(username="next").exists()


def test_an_error_other_than_a_lock_is_raised_at_once():
    with transaction.atomic(), pytest.raises(OperationalError, match="within a transaction"):
        connection._start_transaction_under_autocommit()
