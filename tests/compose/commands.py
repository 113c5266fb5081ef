"""Running podman and other commands, with their output in one log."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


class CheckFailed(Exception):
    """A step did not do what it must. The message is shown."""


def podman(*arguments: str) -> list[str]:
    return ["podman", "--log-level=error", *arguments]


def run(*command: str, folder: Path | None = None) -> None:
    """Run a command to its end. Its output is shown only if it fails.

    Raises:
        CheckFailed: it ended with an error.
    """
    done = subprocess.run(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CheckFailed(f"{_shown(command)} failed:\n{done.stdout[-4000:]}")


def output_of(*command: str, folder: Path | None = None) -> str:
    """What a command wrote to its standard output.

    Raises:
        CheckFailed: it ended with an error.
    """
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CheckFailed(f"{_shown(command)} failed:\n{done.stdout}{done.stderr}"[-4000:])
    return done.stdout


def _shown(command: Sequence[str]) -> str:
    return " ".join(command[:6]) + (" …" if len(command) > 6 else "")


@contextmanager
def step(what: str) -> Iterator[None]:
    """Print what is done, and the seconds that it took."""
    print(f"{what} …", end=" ", flush=True)
    start = time.monotonic()
    yield
    print(f"{time.monotonic() - start:.0f} s", flush=True)
