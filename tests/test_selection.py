"""Every test that can touch a database is selected for each of them, and no other."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.support.selection import (
    PARTS,
    is_for_another_day,
    is_of_day,
    names_differences,
    number_of_case,
    refuse_without_word,
)
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


MARKED = """
import pytest

def pytest_collection_modifyitems(items):
    for item in items:
        print("marks of", item.name, *(mark.name for mark in item.iter_markers()))
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Run pytest on the tests above; its output."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "test_examples.py").write_text(TESTS)
    (folder / "conftest.py").write_text(MARKED)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = browser\n  each_database\n")
    environment = {**os.environ, "DATA_DIR": str(folder), "PYTHONPATH": str(ROOT)}
    environment |= {"DJANGO_SETTINGS_MODULE": "config.settings", "SECRET_KEY": "only for tests"}
    environment.pop("DATABASE_URL", None)  # a PostgreSQL that these tests run on is taken
    plugins = ["-p", "tests.support.selection", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *plugins, "-q", "-s", "-k", "but_it"]
    return subprocess.run(
        command, cwd=folder, env=environment, check=False, capture_output=True, text=True
    ).stdout


@pytest.fixture(scope="module")
def marks(run) -> dict[str, set[str]]:
    found = re.findall(r"^marks of (\w+)(?:\[\d\])?(.*)$", run, re.MULTILINE)
    return {name: set(names.split()) for name, names in found}


def test_what_can_touch_a_database_is_selected_and_nothing_else(marks):
    assert marks.keys() == set(re.findall(r"def (test_\w+)", TESTS))
    selected = {name for name, names in marks.items() if "each_database" in names}
    assert selected == set(re.findall(r"def (test_(?!pure)\w+)", TESTS))


def test_what_may_differ_is_selected_each_day(marks):
    assert {name for name, names in marks.items() if "today" in names} >= {
        "test_selected_as_it_says_so",
        "test_selected_by_a_mark_with_transactions",
        "test_selected_by_transactional_db",
        "test_selected_by_a_live_server",
        "test_selected_in_a_browser_with_a_worker",
    }


def test_every_other_file_is_selected_on_one_of_twenty_days():
    files = {*(ROOT / "tests").rglob("test_*.py")}

    days = [{file for file in files if is_of_day(file, day)} for day in range(PARTS)]

    assert sum(map(len, days)) == len(files)
    assert set().union(*days) == files
    assert min(map(len, days)) > len(files) / PARTS / 3


def test_a_file_that_postgresql_leaves_out_cannot_have_a_test_that_may_differ(tmp_path):
    file = tmp_path / "test_quiet.py"
    file.write_text("def test_it(rows): pass")

    with pytest.raises(pytest.UsageError, match="nothing in its file says so"):
        refuse_without_word(SimpleNamespace(path=file, nodeid="test_quiet.py::test_it"))

    assert names_differences(ROOT / "tests/database/test_rules.py")


def test_each_case_of_a_test_by_day_runs_on_one_of_its_days(request):
    items = [item for item in request.session.items if item.get_closest_marker("by_day")]

    for item in items:
        (days,) = item.get_closest_marker("by_day").args
        assert [is_for_another_day(item, day) for day in range(days)].count(False) == 1


def test_each_case_of_a_mark_with_several_names_has_the_next_number():
    marks = [
        pytest.mark.parametrize(("width", "theme"), []).mark,
        pytest.mark.parametrize("half", []).mark,
    ]

    def number(place: int, half: int) -> int:
        indices = {"width": place, "theme": place, "half": half, "browser_name": 0}
        callspec = SimpleNamespace(indices=indices)
        return number_of_case(SimpleNamespace(callspec=callspec, iter_markers=lambda name: marks))

    assert [number(place, half) for half in (0, 1) for place in (0, 1, 2)] == [0, 1, 2, 1, 2, 3]
    assert number_of_case(SimpleNamespace(iter_markers=lambda name: [])) == 0


def test_what_is_not_selected_cannot_touch_one(run):
    assert "2 failed" in run or "1 failed, 1 error" in run
    assert "Database access not allowed" in run
    assert "test_pure_but_it_gets_a_database_late asks for db while it runs" in run


def test_files_that_begin_first_or_are_split_exist():
    assert not [name for name in {*LONG_FILES, *ONE_BY_ONE} if not (ROOT / name).is_file()]
