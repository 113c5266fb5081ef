from __future__ import annotations

import os
import shutil
from types import SimpleNamespace

import hypothesis
import pytest
from django.db.backends.sqlite3.base import DatabaseOperations as SQLiteOperations
from django.test import Client

from jobs import work
from tests import builders

hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # Playwright's loop runs in the thread of the tests


@pytest.fixture(autouse=True)
def _fast(settings, monkeypatch):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    # A heartbeat has a connection of its own, which waits for a test's transaction or cannot see the job in it.
    monkeypatch.setattr(work, "HEARTBEAT_SECONDS", 600)


def flush_despite_triggers(operations, statements):
    """A test with real transactions ends by emptying all tables, which the append-only triggers of SQLite forbid."""
    with operations.connection.cursor() as cursor:
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        triggers = cursor.fetchall()
        for name, _ in triggers:
            cursor.execute(f"DROP TRIGGER {name}")
        flush(operations, statements)
        for _, definition in triggers:
            cursor.execute(definition)


flush = SQLiteOperations.execute_sql_flush
SQLiteOperations.execute_sql_flush = flush_despite_triggers


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


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-headless-shell")


@pytest.fixture(scope="session")
def browser_type_launch_args():
    if not CHROMIUM and "REQUIRE_ALL" not in os.environ:
        pytest.skip("Chromium is not installed.")
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
    return {"executable_path": CHROMIUM, "args": quiet}


@pytest.fixture
def page_of(live_server, new_context, as_):
    """A browser page of a logged-in person: `page_of("ann", "/c/papers/judge/")`. An error in its console fails."""
    errors = []

    def open_page(username: str, path: str, **context):
        browser_context = new_context(base_url=live_server.url, **context)
        session = as_(username).cookies["sessionid"].value
        browser_context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
        page = browser_context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.set_default_timeout(10_000)
        page.goto(path)
        return page

    yield open_page
    assert errors == []
