"""Which tests run on each database: those that touch one. The others run once, on SQLite.

What a test asks for tells it, never a list: pytest-django refuses every query of a test that asked
for no database. A test in a browser runs once as well, because it is about scripts, and the
requests that they send are tested on each database without a browser; all but those with a real
worker, which go the whole way that a collection goes. A test about values, files or pages, whose
queries other tests run on each database, says so with the marker `one_database`: every page is
opened on each database in tests/test_permissions.py.

A test with real workers runs on SQLite with the filesystem broker, as `make demo` does, and on
PostgreSQL with Redis, as in production.
"""

from __future__ import annotations

import pytest
from django.db import connection

from tests.support import machine
from tests.support.side_by_side import longest_first

# Every way to a database that a test can ask for by name leads through one of these.
DATABASE_FIXTURES = {"django_db_setup", "live_server"}


def runs_on_each_database(item: pytest.Item) -> bool:
    fixtures = set(getattr(item, "fixturenames", ()))
    touches_one = item.get_closest_marker("django_db") or fixtures & DATABASE_FIXTURES
    only_scripts = item.get_closest_marker("browser") and "start_worker" not in fixtures
    about_values = item.get_closest_marker("one_database")
    return bool(touches_one and not only_scripts and not about_values)


def broker_of_this_turn() -> str:
    has_redis = machine.REQUIRE_ALL or machine.redis_server()
    return "redis" if connection.vendor == "postgresql" and has_redis else "filesystem"


# First, so that the marker is there when `-m` selects by it.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    broker = broker_of_this_turn()
    kept, deselected = [], []
    for item in items:
        if runs_on_each_database(item):
            item.add_marker("each_database")
        callspec = getattr(item, "callspec", None)
        wanted = callspec.params.get("broker", broker) if callspec else broker
        (kept if wanted == broker else deselected).append(item)
    items[:] = longest_first(kept)
    config.hook.pytest_deselected(items=deselected)


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
