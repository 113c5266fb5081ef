from __future__ import annotations

import os
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test import Client

from tests import builders

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # Playwright's loop runs in the thread of the tests


@pytest.fixture(autouse=True)
def _fast(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"


def unblocked():
    from pytest_django.plugin import blocking_manager_key

    return PYTEST.stash[blocking_manager_key].unblock()


def pytest_configure(config):
    global PYTEST
    PYTEST = config


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """A test with real transactions ends by emptying all tables, which the append-only triggers of SQLite forbid."""
    triggers = []
    if "transactional_db" in getattr(item, "fixturenames", []) and connection.vendor == "sqlite":
        with unblocked(), connection.cursor() as cursor:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            triggers = cursor.fetchall()
            for name, _ in triggers:
                cursor.execute(f"DROP TRIGGER {name}")
    result = yield
    if triggers:
        with unblocked(), connection.cursor() as cursor:
            for _, definition in triggers:
                cursor.execute(definition)
    return result


@pytest.fixture
def collection(db):
    """An empty collection with an admin, two annotators and an adjudicator."""
    made = builders.collection()
    builders.person("ann", made, "annotator")
    builders.person("bob", made, "annotator")
    builders.person("ada", made, "adjudicator")
    return made


@pytest.fixture
def people(collection):
    return SimpleNamespace(**{name: builders.person(name) for name in ("admin", "ann", "bob", "ada")})


@pytest.fixture
def papers(collection):
    """Twelve documents: d00 is the query paper, the others its candidates."""
    return [builders.document(collection, f"d{number:02}", year=2000 + number) for number in range(12)]


@pytest.fixture
def query(collection, papers, people):
    """One query, d00 under its method, open to ann and bob with eight candidates."""
    made = builders.query(collection, papers[0])
    builders.opened(made, papers[1:9], people.ann, people.bob)
    return made


@pytest.fixture
def as_(db):
    """A client logged in as a person: `as_("ann").get(url)`."""

    def client(username: str) -> Client:
        made = Client()
        made.force_login(builders.person(username))
        return made

    return client
