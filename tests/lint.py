"""`make lint`: every check that must be clean, each one named, all of them run side by side."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
PRODUCTION = {
    "QRELSMITH_MODE": "production",
    "SECRET_KEY": secrets.token_urlsafe(64),
    "ALLOWED_HOSTS": "qrelsmith.example",
    "EMAIL_URL": "smtp://mail.qrelsmith.example",
}
# mypy first, because it takes as long as all others.
CHECKS: list[tuple[list[str], dict[str, str]]] = [
    (["mypy", "."], {}),
    (["make", "--no-print-directory", "docs"], {}),
    (["ruff", "check", "."], {}),
    (["ruff", "format", "--check", "."], {}),
    (["lint-imports"], {}),
    (["python", "-m", "tests.rooms"], {}),
    (["python", "-m", "tests.glossary"], {}),
    (["python", "-m", "tests.messages", "--check"], {}),
    (["python", "-m", "tests.supply.licences"], {}),
    (["check-jsonschema", "--builtin-schema", "vendor.renovate", "renovate.json"], {}),
    (["djangofmt", "--check", "templates"], {}),
    (["djangofmt", "check", "templates"], {}),
    (["oxlint", "--deny-warnings", "static"], {}),
    (["oxfmt", "--check", "static"], {}),
    (["python", "manage.py", "makemigrations", "--check", "--dry-run"], {}),
    (["python", "manage.py", "check", "--deploy", "--fail-level", "WARNING"], PRODUCTION),
]


def run(check: tuple[list[str], dict[str, str]]) -> tuple[str, subprocess.CompletedProcess[str]]:
    command, more = check
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", **more}
    # `bootstrap.py` leaves it to the first import to compile a package.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return " ".join(command), done


def main() -> int:
    failed = []
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as executor:
        for command, done in executor.map(run, CHECKS):
            print(f"--- {command}\n{done.stdout}", end="", flush=True)
            if done.returncode:
                failed.append(command)
    print(f"--- {len(CHECKS) - len(failed)} of {len(CHECKS)} checks clean")
    for command in failed:
        print(f"--- FAILED: {command}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
