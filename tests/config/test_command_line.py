"""What a command prints for an error that has a remedy."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from django.core.management import get_commands, load_command_class
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from accounts.models import Collection
from config.command_line import NO_TABLES, lacking, missing_tables
from tests.support.running import ROOT, database_url, environment

pytestmark = pytest.mark.django_db(transaction=True)

# They need no table, make them, or serve until they are stopped.
WITHOUT_TABLES = {
    "doctor",  # one of its results
    *("check", "collectstatic", "compilemessages", "createcachetable", "dbshell", "start_demo"),
    *("diffsettings", "findstatic", "generateschema", "inspectdb", "makemessages"),
    *("makemigrations", "migrate", "optimizemigration", "runserver", "sendtestemail", "shell"),
    *("showmigrations", "spectacular", "sqlflush", "sqlmigrate", "sqlsequencereset"),
    *("squashmigrations", "startapp", "startproject", "test", "testserver"),
    # They empty the tables that there are.
    "flush",
}
LAST = max(path.stem for path in (ROOT / "release" / "migrations").glob("0*.py"))
# They read a file first, and the one that this test gives them is no release, manifest or qrels.
FILE_FIRST = {
    "erase_again",
    "import_benchmark",
    "import_csfcube",
    "import_release",
    "make_backup",
    "restore_backup",
    "share_files",
    "verify_release",
    "write_labeller",
}
MORE = {
    "create_collection": ["papers", "--name", "Papers", "--admin", "admin"],
    "createsuperuser": ["--noinput", "--username", "new", "--email", "new@example.org"],
    "dumpdata": ["accounts"],
    "import_folds": ["papers", "--make", "2"],
    "open_queries": ["papers", "--all"],
}
# All commands in one process, because each start takes a second.
RUN_ALL = """
import contextlib, io, json, os, sys, traceback
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
from config.command_line import CommandLine
answers = []
for name, *arguments in json.loads(sys.argv[1]):
    errors, code = io.StringIO(), 0
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        try:
            CommandLine(["manage.py", name, *arguments]).execute()
        except SystemExit as stop:
            code = stop.code
        except BaseException:
            code = 1
            traceback.print_exc(file=errors)
    answers.append([code, errors.getvalue()])
print(json.dumps(answers))
"""


@pytest.fixture
def empty_database(transactional_db, tmp_path):
    """The address of a database without tables, on the server of this turn."""
    if connection.vendor == "sqlite":
        yield f"sqlite:///{tmp_path}/empty.sqlite3"
        return
    name = f"{connection.settings_dict['NAME']}_empty"
    with connection.cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        cursor.execute(f'CREATE DATABASE "{name}"')
    yield f"{database_url().rpartition('/')[0]}/{name}"
    with connection.cursor() as cursor:
        cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def python(url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment(DATABASE_URL=url),
        check=False,
        capture_output=True,
        text=True,
    )


def answers_to(commands: list[list[str]], url: str) -> list[list[Any]]:
    """The return code and the errors of each, in one process with its standard output."""
    done = python(url, "-c", RUN_ALL, json.dumps(commands))
    return json.loads(done.stdout.splitlines()[-1])


def arguments_of(name: str, app: str, file: str) -> list[str]:
    """Values for everything that the command requires."""
    found = []
    for action in load_command_class(app, name).create_parser("manage.py", name)._actions:
        if not action.required:
            continue
        given = next(iter(action.choices), "1") if action.choices else "1"
        if action.dest in ("file", "files", "vectors", "docnos", "folder"):
            given = file
        found += [*action.option_strings[-1:], given]
    return found


def test_every_command_says_that_there_are_no_tables_and_shows_a_traceback_only_on_request(
    empty_database, tmp_path
):
    file, fixture = tmp_path / "file.json", tmp_path / "fixture.json"
    file.write_text("{}\n")
    fixture.write_text('[{"model": "accounts.user", "fields": {"username": "new"}}]')
    more = {**MORE, "loaddata": [str(fixture)]}
    commands = {
        name: more.get(name) or arguments_of(name, app, str(file))
        for name, app in get_commands().items()
        if name not in WITHOUT_TABLES
    }
    with_traceback = ["score_systems", "papers", "--traceback"]
    *found, (code, traceback) = answers_to(
        [*([name, *values] for name, values in commands.items()), with_traceback], empty_database
    )
    answers = dict(zip(commands, found, strict=True))
    assert [name for name, (_, errors) in answers.items() if "Traceback" in errors] == []
    expected = [1, f"CommandError: {NO_TABLES}"]
    others = {
        name: (code, errors)
        for name, (code, errors) in answers.items()
        if [code, *errors.splitlines()[-1:]] != expected
    }
    assert sorted(others) == sorted(FILE_FIRST), others

    assert code == 1
    assert traceback.startswith("Traceback")
    assert "accounts_collection" in traceback
    assert traceback.splitlines()[-1].endswith(NO_TABLES)


def test_a_half_migrated_database_names_the_missing_migrations(empty_database):
    migrate = ["migrate", "auth", "--verbosity", "0"]
    migrated, (code, errors) = answers_to([migrate, ["score_systems", "papers"]], empty_database)
    assert migrated[0] == 0, migrated
    assert code == 1
    assert "Traceback" not in errors
    line = errors.splitlines()[-1]
    assert line.startswith("CommandError: The database lacks ")
    assert "accounts.0001_initial" in line
    assert line.endswith(" more. Run `manage.py migrate`.")


def test_a_single_missing_migration_is_named_and_none_is_no_reason():
    assert missing_tables(connection) == ""
    MigrationRecorder(connection).record_unapplied("release", LAST)
    try:
        sentence = missing_tables(connection)
    finally:
        MigrationRecorder(connection).record_applied("release", LAST)
    assert sentence == (f"The database lacks a migration: release.{LAST}. Run `manage.py migrate`.")


def test_of_many_missing_migrations_the_first_are_named():
    names = [f"app.{number:04}" for number in range(1, 11)]
    listed = ", ".join(names[:8])
    assert lacking(names[:8]) == (
        f"The database lacks 8 migrations: {listed}. Run `manage.py migrate`."
    )
    assert lacking(names) == (
        f"The database lacks 10 migrations: {listed} and 2 more. Run `manage.py migrate`."
    )


def test_an_error_for_the_reader_is_a_sentence(collection):
    Collection.objects.update(archived_at=timezone.now())
    done = python(database_url(), "manage.py", "create_query", "small", "d1", "method")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    line = done.stderr.splitlines()[-1]
    assert line.startswith("CommandError: ")
    assert "is archived, so nothing was changed" in line


def test_a_mistake_in_a_statement_is_not_blamed_on_the_migrations():
    wrong = (
        "from django.db import connection as c; c.cursor().execute('SELECT x FROM accounts_user')"
    )
    # In a process of its own: Django configures logging again, which closes pytest's files.
    done = python(database_url(), "manage.py", "shell", "-v0", "-c", wrong)
    assert (done.returncode, "Traceback" in done.stderr) == (1, True)
    assert "manage.py migrate" not in done.stderr
