"""`make test`: all tests on SQLite, and on PostgreSQL those that may differ there, if one answers.

Says in one line what ran, what did not, and why. Arguments go to pytest. REQUIRE_ALL=1 (CI) makes
whatever could not run a failure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import psycopg
from psycopg import sql

from bench.chromium import chromium
from tests.support import machine

ROOT = Path(__file__).resolve().parent.parent
# On 2 cores, because many tests wait. The turns run side by side: each alone uses three quarters.
WORKERS = os.environ.get("TEST_WORKERS", "3")
WORKERS_ON_POSTGRESQL = os.environ.get("TEST_WORKERS", "2")
FULL = os.environ.get("FULL") == "1"  # all tests, and on PostgreSQL all that use a database
EACH_DATABASE = "each_database"  # set by tests/support/selection.py, as `today` and `another_day`
NO_TESTS = 5  # pytest's exit code where the arguments select none


@dataclass
class Turn:
    name: str
    passed: bool | None  # None: it did not run
    why: str = ""

    def __str__(self) -> str:
        outcome = {True: "passed", False: "FAILED", None: "did not run"}[self.passed]
        return f"{self.name} {outcome}" + (f" ({self.why})" if self.why else "")


def pytest(
    database_url: str | None,
    arguments: list[str],
    workers: str = WORKERS,
    output: IO[str] | None = None,
) -> bool:
    # Hundreds of processes start in the tests, and each would compile the project again.
    left_out = {"DATABASE_URL", "PYTHONDONTWRITEBYTECODE"}
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    if database_url:
        environment["DATABASE_URL"] = database_url
    # tests/support/side_by_side.py says what stays together.
    side_by_side = ["-n", workers, "--dist", "loadfile", "--no-loadscope-reorder"]
    command = [sys.executable, "-m", "pytest", *side_by_side, *arguments]
    run = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=output, stderr=output, check=False
    )
    return run.returncode in ({0, NO_TESTS} if arguments else {0})


def on_sqlite(arguments: list[str]) -> Turn:
    print("=== SQLite", flush=True)
    selected = [] if FULL or arguments else ["-m", "not another_day"]
    return Turn("SQLite", pytest(None, [*selected, *arguments]))


def on_postgresql(arguments: list[str], output: IO[str]) -> Turn:
    """Its output goes to the file, because the turn on SQLite prints meanwhile."""
    server = machine.postgresql_url()
    if server is None:
        return Turn("PostgreSQL", None, "none at DATABASE_URL or 127.0.0.1:5432")
    name = f"qrelsmith_{os.getpid()}"  # of this run alone; never created, only `test_` and it
    try:
        selected = [
            "-m",
            EACH_DATABASE
            if FULL or arguments
            else f"{EACH_DATABASE} and today and not another_day",
        ]
        selected += arguments
        url = unsynced(machine.with_path(server, name))
        return Turn("PostgreSQL", pytest(url, selected, WORKERS_ON_POSTGRESQL, output))
    finally:
        drop_databases(server, f"test_{name}")


def unsynced(url: str) -> str:
    """The same database without waiting for the disk at each commit, which no test depends on."""
    separator = "&" if "?" in url else "?"
    return f"{url}{separator}options=-c%20synchronous_commit%3Doff"


def drop_databases(server: str, name: str) -> None:
    """What pytest and each of its workers drop themselves, unless they were killed."""
    with psycopg.connect(machine.with_path(server, "postgres"), autocommit=True) as link:
        # Escaped, because `_` matches any character: another project's database may have one more.
        of_workers = name.replace("_", r"\_") + r"\_gw%"
        left = link.execute(
            "SELECT datname FROM pg_database WHERE datname = %s OR datname LIKE %s",
            [name, of_workers],
        )
        for (database,) in left.fetchall():
            statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
            link.execute(statement.format(sql.Identifier(database)))


def elsewhere() -> list[str]:
    """What the turns left out on a machine that lacks it."""
    offers = {
        "Redis, so workers only on the filesystem broker": machine.redis_server(),
        "Chromium, so no browser tests": chromium(),
    }
    return [f"no {what}" for what, found in offers.items() if not found]


def main(arguments: list[str]) -> int:
    with TemporaryFile("w+") as output:
        with ThreadPoolExecutor(1) as beside:
            other_turn = beside.submit(on_postgresql, arguments, output)
            turns = [on_sqlite(arguments)]
        turns.append(other_turn.result())
        print("=== PostgreSQL", flush=True)
        output.seek(0)
        shutil.copyfileobj(output, sys.stdout)
    print(f"=== {'; '.join([*map(str, turns), *elsewhere()])}.")
    wanted = {True} if machine.REQUIRE_ALL else {True, None}
    return 0 if {turn.passed for turn in turns} <= wanted else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
