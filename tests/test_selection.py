"""Every test that can touch a database is selected for each of them, and no other."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.selection import PARTS, is_of_day
from tests.support.side_by_side import LONG_FILES, ONE_BY_ONE

ROOT = Path(__file__).resolve().parent.parent
TESTS = """
import pytest
from accounts.models import User

def test_pure(): pass

@pytest.mark.parametrize("number", [1, 2])
def test_pure_with_parameters(number): pass

def test_pure_with_fixtures(tmp_path, settings, client, rf): pass

@pytest.mark.django_db
def test_selected_by_its_mark(): pass

@pytest.mark.django_db(transaction=True)
def test_selected_by_a_mark_with_transactions(): pass

@pytest.mark.django_db
class TestSelected:
    def test_by_the_mark_of_its_class(self): pass

@pytest.fixture
def person(db): pass

@pytest.fixture
def friend(person): pass

@pytest.fixture(scope="module")
def shared(django_db_setup, django_db_blocker): pass

@pytest.fixture
def start_worker(transactional_db): pass

@pytest.mark.django_db
@pytest.mark.may_differ
def test_selected_as_it_says_so(): pass

def test_selected_by_db(db): pass
def test_selected_by_transactional_db(transactional_db): pass
def test_selected_by_a_live_server(live_server): pass
def test_selected_by_a_fixture_of_a_fixture(friend): pass
def test_selected_by_rows_shared_in_a_module(shared): pass
def test_selected_by_the_admin_of_pytest_django(admin_client): pass

class TestEvery:
    @pytest.fixture(autouse=True)
    def rows(self, db): pass

    def test_selected_by_what_its_class_always_uses(self): pass

@pytest.mark.django_db
@pytest.mark.one_database
def test_pure_though_it_keeps_values_in_a_database(): pass

@pytest.mark.browser
def test_pure_in_a_browser(live_server): pass

@pytest.mark.browser
def test_selected_in_a_browser_with_a_worker(live_server, start_worker): pass

def test_pure_but_it_asks_a_database(): User.objects.count()

def test_pure_but_it_gets_a_database_late(request): request.getfixturevalue("db")
"""


@pytest.fixture
def run(tmp_path):
    """Run pytest on the tests above; its output."""
    (tmp_path / "test_examples.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = browser\n  each_database\n")
    environment = {**os.environ, "DATA_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    environment |= {"DJANGO_SETTINGS_MODULE": "config.settings", "SECRET_KEY": "only for tests"}
    environment.pop("DATABASE_URL", None)  # a PostgreSQL that these tests run on is taken

    def run(*arguments: str) -> str:
        plugins = ["-p", "tests.support.selection", "-p", "no:cacheprovider"]
        command = [sys.executable, "-m", "pytest", *plugins, *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, check=False, capture_output=True, text=True
        ).stdout

    return run


def test_what_can_touch_a_database_is_selected_and_nothing_else(run):
    output = run("--collect-only", "-q", "-m", "each_database")

    names = {line.split("::")[-1] for line in output.splitlines() if "::" in line}
    assert names == set(re.findall(r"def (test_(?!pure)\w+)", TESTS))


def test_what_may_differ_is_selected_each_day(run):
    output = run("--collect-only", "-q", "-m", "each_database and today")

    names = {line.split("::")[-1] for line in output.splitlines() if "::" in line}
    assert names >= {
        "test_selected_as_it_says_so",
        "test_selected_by_a_mark_with_transactions",
        "test_selected_by_transactional_db",
        "test_selected_by_a_live_server",
        "test_selected_in_a_browser_with_a_worker",
    }


def test_every_other_test_is_selected_on_one_of_ten_days(request):
    items = request.session.items

    days = [{item.nodeid for item in items if is_of_day(item, day)} for day in range(PARTS)]

    assert sum(map(len, days)) == len(set().union(*days)) == len({i.nodeid for i in items})


def test_what_is_not_selected_cannot_touch_one(run):
    output = run("-q", "-k", "but_it")

    assert "2 failed" in output or "1 failed, 1 error" in output
    assert "Database access not allowed" in output
    assert "test_pure_but_it_gets_a_database_late asks for db while it runs" in output


def test_files_that_begin_first_or_are_split_exist():
    assert not [name for name in {*LONG_FILES, *ONE_BY_ONE} if not (ROOT / name).is_file()]
