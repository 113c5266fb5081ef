"""`make lint`: every check that must be clean, each one named, all of them run."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
PRODUCTION = {
    "QRELSMITH_MODE": "production",
    "SECRET_KEY": secrets.token_urlsafe(64),
    "ALLOWED_HOSTS": "qrelsmith.example",
}
CHECKS: list[tuple[list[str], dict[str, str]]] = [
    (["ruff", "check", "."], {}),
    (["ruff", "format", "--check", "."], {}),
    (["mypy", "."], {}),
    (["lint-imports"], {}),
    (["python", "-m", "tests.rooms"], {}),
    (["python", "-m", "tests.glossary"], {}),
    (["djangofmt", "--check", "templates"], {}),
    (["djangofmt", "check", "templates"], {}),
    (["oxlint", "--deny-warnings", "static"], {}),
    (["oxfmt", "--check", "static"], {}),
    (["python", "manage.py", "makemigrations", "--check", "--dry-run"], {}),
    (["python", "manage.py", "check", "--deploy", "--fail-level", "WARNING"], PRODUCTION),
    (["make", "--no-print-directory", "docs"], {}),
]


def passes(command: list[str], more: dict[str, str]) -> bool:
    print(f"--- {' '.join(command)}", flush=True)
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", **more}
    run = subprocess.run(command, cwd=ROOT, env=environment, check=False)
    return run.returncode == 0


def main() -> int:
    failed = [" ".join(command) for command, more in CHECKS if not passes(command, more)]
    print(f"--- {len(CHECKS) - len(failed)} of {len(CHECKS)} checks clean")
    for command in failed:
        print(f"--- FAILED: {command}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
