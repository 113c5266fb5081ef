"""Programs that a backup runs: their output, their errors, and their end."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any

from backups.errors import BackupFailed

ERROR_LINES = 3
PACKAGES = {"age": "age", "gpg": "gnupg", "pg_dump": "postgresql-client"}


def check_installed(*programs: str) -> None:
    """Raise BackupFailed with the package to install."""
    for program in programs:
        if shutil.which(program) is None:
            package = PACKAGES.get(program, "postgresql-client")
            raise BackupFailed(
                f"The program {program} is missing. Install it: apt-get install {package}."
            )


class Program:
    """A running program, one of whose streams is a pipe."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
        self._name, self._process, self._errors = name, process, errors
        self.stdin, self.stdout = process.stdin, process.stdout

    def finish(self) -> None:
        """Close its input and wait for it. Raises BackupFailed with its words if it failed."""
        if self.stdin:
            with suppress(BrokenPipeError):
                self.stdin.close()
        if self._process.wait():
            raise self.failure()

    def failure(self) -> BackupFailed:
        self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        said = " ".join(lines[:ERROR_LINES]) or f"status {self._process.returncode}"
        return BackupFailed(f"{self._name} failed: {said}")


@contextmanager
def running(
    command: Sequence[str], *, variables: Mapping[str, str] | None = None, **streams: Any
) -> Iterator[Program]:
    """The program. It is killed if the block fails, so nothing stays behind.

    Secrets go through `variables`, because everybody on the machine can read arguments.
    """
    environment = {**os.environ, **(variables or {})}
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, env=environment, stderr=errors, **streams)
        program = Program(command[0], process, errors)
        try:
            yield program
        except BrokenPipeError:
            raise program.failure() from None
        finally:
            if process.poll() is None:
                process.kill()
            for stream in (process.stdin, process.stdout):
                if stream:
                    with suppress(OSError):
                        stream.close()
            process.wait()
