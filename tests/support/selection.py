"""Which tests run on each database: those that touch one. The others run once, on SQLite.

What a test asks for tells it, never a list: pytest-django refuses every query of a test that asked
for no database. A test in a browser runs once as well, because it is about scripts, and the
requests that they send are tested on each database without a browser; all but those with a real
worker, which go the whole way that a collection goes. A test about values, files or pages, whose
queries other tests run on each database, says so with the marker `one_database`: every page is
opened on each database in tests/test_permissions.py.

On PostgreSQL, `make test` runs each time what databases may do differently: constraints, locks,
triggers, transactions, our own SQL, orders. The marker `may_differ` says so; tests in
tests/database, with `faults` or with transactions of their own do not need it. Of the files of all
others it runs a fortieth, another one each day. FULL=1 runs them all. It does not even collect
the other files: that took each worker 30 seconds, for a ninth of the tests.

A test with the marker `by_day(n)` takes long, and is not about the product itself: the benchmark,
the commands of the docs, and figures that a second program computes again; or it shows with much
time what others show with less, such as a page in a browser whose requests have tests of their
own. `make test` runs one of n cases, another one each day; without cases, it runs every n days,
and with `together` on the same day as the others of its file, which share what takes long. `day`
names the day of it, or of its first case, so that what takes long is not all on one. FULL=1 or
arguments run all.

A test with real workers runs on SQLite with the filesystem broker, as `make demo` does, and on
PostgreSQL with Redis, as in production.
"""

from __future__ import annotations

import datetime
import os
import re
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.db import connection

from tests.support import machine
from tests.support.side_by_side import longest_first

# Every way to a database that a test can ask for by name leads through one of these.
DATABASE_FIXTURES = {"django_db_setup", "live_server"}
PARTS = 40  # of the files of tests that do the same on each database; PostgreSQL runs one a day
# The same day for all workers, also at midnight. They inherit the variable.
TODAY = int(os.environ.setdefault("TEST_DAY", str(datetime.datetime.now(datetime.UTC).toordinal())))
FOLDER_OF_DIFFERENCES = "tests/database/"
# What makes `may_differ` true. Where no word of these is in a file, none of its tests may differ.
WORDS_OF_DIFFERENCES = re.compile(
    "may_differ|faults|transaction=True|transactional_db|live_server|start_worker"
)


def runs_on_each_database(item: pytest.Item) -> bool:
    fixtures = set(getattr(item, "fixturenames", ()))
    touches_one = item.get_closest_marker("django_db") or fixtures & DATABASE_FIXTURES
    only_scripts = item.get_closest_marker("browser") and "start_worker" not in fixtures
    about_values = item.get_closest_marker("one_database")
    return bool(touches_one and not only_scripts and not about_values)


def may_differ(item: pytest.Item) -> bool:
    marks = [item.get_closest_marker(name) for name in ("may_differ", "faults")]
    rows = item.get_closest_marker("django_db")
    has_transactions = rows is not None and rows.kwargs.get("transaction")
    fixtures = {"transactional_db", "live_server"} & set(getattr(item, "fixturenames", ()))
    return bool(any(marks) or has_transactions or fixtures or FOLDER_OF_DIFFERENCES in item.nodeid)


@cache
def names_differences(file: Path) -> bool:
    """Whether a test of the file may differ on each database, by its text alone."""
    return FOLDER_OF_DIFFERENCES in file.as_posix() or bool(
        WORDS_OF_DIFFERENCES.search(file.read_text())
    )


def is_of_day(file: Path, day: int) -> bool:
    """Whether a file is of the fortieth that runs on PostgreSQL on a day, given by its number."""
    return zlib.crc32(f"{file.parent.name}/{file.name}".encode()) % PARTS == day % PARTS


def is_for_another_day(item: pytest.Item, day: int) -> bool:
    """Whether a day, given by its number, leaves out this case of a test with `by_day`."""
    by_day = item.get_closest_marker("by_day")
    if by_day is None:
        return False
    (days,) = by_day.args
    name = item.nodeid.partition("::" if by_day.kwargs.get("together") else "[")[0]
    first = by_day.kwargs.get("day", zlib.crc32(name.encode()))
    return bool((first + number_of_case(item)) % days != day % days)


def number_of_case(item: pytest.Item) -> int:
    """The sum of the numbers of what its marks with `parametrize` choose; 0 without cases.

    The indices have a number for each name of a mark. All of one mark have the same number.
    """
    callspec = getattr(item, "callspec", None)
    names = (mark.args[0] for mark in item.iter_markers("parametrize"))
    first_names = (name if isinstance(name, str) else name[0] for name in names)
    return sum(callspec.indices[name] for name in first_names) if callspec else 0


def broker_of_this_turn() -> str:
    has_redis = machine.REQUIRE_ALL or machine.redis_server()
    return "redis" if connection.vendor == "postgresql" and has_redis else "filesystem"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files of which `-m today` selects nothing."""
    if "today" not in config.getoption("markexpr").split() or collection_path.suffix != ".py":
        return None
    return None if names_differences(collection_path) or is_of_day(collection_path, TODAY) else True


# First, so that the marker is there when `-m` selects by it. The order comes last, because
# pytest-django moves tests with transactions of their own to the end.
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Iterator[None]:
    broker = broker_of_this_turn()
    kept, deselected = [], []
    for item in items:
        if runs_on_each_database(item):
            item.add_marker("each_database")
            if may_differ(item):
                refuse_without_word(item)
            if may_differ(item) or is_of_day(item.path, TODAY):
                item.add_marker("today")
        if is_for_another_day(item, TODAY):
            item.add_marker("another_day")
        callspec = getattr(item, "callspec", None)
        wanted = callspec.params.get("broker", broker) if callspec else broker
        (kept if wanted == broker else deselected).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=deselected)
    yield
    items[:] = longest_first(items)


def refuse_without_word(item: pytest.Item) -> None:
    """Refuse a test that PostgreSQL must run each day, in a file that its turn would leave out."""
    if not names_differences(item.path):
        raise pytest.UsageError(
            f"{item.nodeid} may differ on each database, but nothing in its file says so. Mark it "
            "with may_differ, so that it runs on PostgreSQL each day."
        )


def pytest_fixture_setup(fixturedef, request) -> None:
    """Refuse a database that only the running test asks for: it could not be selected by it."""
    if fixturedef.argname not in {"db", "transactional_db"}:
        return
    marks = (
        request.node.get_closest_marker(name)
        for name in ("each_database", "browser", "one_database")
    )
    if not any(marks):
        raise pytest.UsageError(
            f"{request.node.nodeid} asks for {fixturedef.argname} while it runs. Name it as an "
            "argument or mark the test with django_db, so that it runs on each database."
        )
