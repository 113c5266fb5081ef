"""`make test`: the tests on SQLite, then those of real transactions on PostgreSQL. `--all` runs all on both.

PostgreSQL is that of TEST_POSTGRESQL_URL. Where none answers, its tests are left out with a word; with
REQUIRE_ALL=1, as on the server that guards merges, a missing service is a failure.
"""

from __future__ import annotations

import os
import subprocess
import sys

import psycopg

URL = os.environ.get("TEST_POSTGRESQL_URL", "postgres://postgres@127.0.0.1:5432/postgres")


def main(arguments: list[str]) -> int:
    run_all = "--all" in arguments
    rest = [argument for argument in arguments if argument != "--all"]
    failed = pytest("not postgresql" if run_all else "not postgresql and not slow", rest, {})
    if not postgresql_answers():
        print(f"PostgreSQL does not answer at {URL}: its tests are left out.")
        return failed or int("REQUIRE_ALL" in os.environ)
    marks = "not browser" if run_all else "postgresql"
    return pytest(marks, rest, {"DATABASE_URL": URL}) or failed


def pytest(marks: str, arguments: list[str], environment: dict[str, str]) -> int:
    command = [sys.executable, "-m", "pytest", "-m", marks, *arguments]
    code = subprocess.run(command, env=os.environ | environment, check=False).returncode
    return 0 if code == 5 else code  # 5: no test of these marks among the arguments


def postgresql_answers() -> bool:
    try:
        psycopg.connect(URL.replace("postgres://", "postgresql://"), connect_timeout=3).close()
    except psycopg.OperationalError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
