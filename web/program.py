"""Commands as people type them: `manage.py migrate` in a clone, `qrelsmith migrate` of a wheel."""

from __future__ import annotations

from pathlib import Path

IS_CLONE = Path(__file__).resolve().parents[1].joinpath("Makefile").exists()  # a wheel has none
PROGRAM = "manage.py" if IS_CLONE else "qrelsmith"


def command_text(rest: str) -> str:
    """Return the command as sentences name it."""
    return f"{PROGRAM} {rest}"


def terminal_command(rest: str) -> str:
    """Return the command as it is pasted into a terminal."""
    return f"python {command_text(rest)}" if IS_CLONE else command_text(rest)
