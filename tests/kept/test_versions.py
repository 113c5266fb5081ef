"""Databases and releases of earlier versions work with the code of now: docs/testing.md.

A set of this version is made, too, so that every new table gets rows in the next one.
"""

from __future__ import annotations

import gzip
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection

from tests.conftest import ROOT
from tests.kept.check import load
from tests.kept.make import DATABASE, RULES, VERSIONS, make_rows, pack_set
from tests.support.machine import postgresql_url

KEPT = sorted(path.name for path in VERSIONS.glob("*/"))
# Servers that ran before a version was published are updated, too.
BEFORE_THE_FIRST = {"0.1.0-pre"}
MOST_BYTES = 200_000
# A new table needs rows in tests/kept/make.py, or has a place here.
WITHOUT_ROWS = {
    # Of Django and its apps
    *("auth_group", "auth_group_permissions", "django_session"),
    *("account_emailaddress", "account_emailconfirmation", "mfa_authenticator"),
    "usersessions_usersession",
    *("socialaccount_socialaccount", "socialaccount_socialapp", "socialaccount_socialtoken"),
    *("accounts_user_groups", "accounts_user_user_permissions"),
    # What a person or a job writes again with one click
    *("curation_labeller", "pooling_lastplan", "jobs_workerprocess", "accounts_retentionrun"),
}


def run(module: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"tests.kept.{module}", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.by_day(4, day=1)
@pytest.mark.parametrize("database", ["SQLite", "PostgreSQL"])
@pytest.mark.parametrize("version", KEPT)
def test_a_kept_version_is_migrated_and_its_pages_and_releases_work(version, database):
    server = postgresql_url() if database == "PostgreSQL" else ""
    if server is None:
        pytest.skip("needs PostgreSQL")

    done = run("check", VERSIONS / version, *(["--postgresql", server] if server else []))

    assert done.returncode == 0, done.stdout + done.stderr


CHANGED_MIGRATIONS = """
import os, sys
from pathlib import Path
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
import django
django.setup()
from tests.kept.check import changed_migrations, load
folder = Path(sys.argv[1])
load(folder, folder / "kept.sqlite3")
print(*changed_migrations(folder, folder / "kept.sqlite3"), sep="\\n")
"""


@pytest.mark.by_day(8, day=6)
def test_a_published_migration_that_makes_another_rule_is_named(tmp_path):
    """In a set that the command of a release has made."""
    altered = tmp_path / "set"
    made = run("make", altered)
    assert made.returncode == 0, made.stderr
    for name in (DATABASE, RULES):
        statements = gzip.decompress((altered / name).read_bytes())
        # What an earlier version made, if the rule was changed since.
        was = statements.replace(b"NEW.name <> OLD.name", b"TRUE")
        assert was != statements
        (altered / name).write_bytes(gzip.compress(was))

    command = [sys.executable, "-c", CHANGED_MIGRATIONS, str(altered)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    named = re.findall("published migration makes (.+) in another way", done.stdout)
    assert {"query_stays_once_opened", "topic_of_query_paper_keeps_name"} <= set(named)
    assert "makes other rules on PostgreSQL" in done.stdout


@pytest.mark.django_db
@pytest.mark.one_database
@pytest.mark.by_day(2)
def test_a_set_is_small_and_has_rows_in_every_table(tmp_path):
    """Made here, because a process of its own would begin with all migrations."""
    made_set = tmp_path / "set"
    make_rows(tmp_path)
    pack_set(made_set, connection.connection)
    assert sum(path.stat().st_size for path in made_set.iterdir()) <= MOST_BYTES
    load(made_set, tmp_path / "kept.sqlite3")
    with closing(sqlite3.connect(tmp_path / "kept.sqlite3")) as database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        empty = {
            name
            for (name,) in tables
            if not database.execute(f'SELECT EXISTS (SELECT 1 FROM "{name}")').fetchone()[0]
        }

    assert empty == WITHOUT_ROWS


def test_the_set_of_a_version_is_not_made_again(tmp_path):
    done = run("make", tmp_path)

    assert done.returncode == 2
    assert "is never made again" in done.stderr


def test_every_published_version_has_its_set():
    headings = re.findall(r"^## (\S+)(.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)

    published = {version for version, rest in headings if "unreleased" not in rest}
    assert published | BEFORE_THE_FIRST == set(KEPT)
