"""The findings of a check of a release, and why one cannot be made. Pure."""

from __future__ import annotations

from typing import NamedTuple


class CannotCheck(Exception):
    """A check cannot be made; the message is the reason."""


class Failure(NamedTuple):
    """A fault: its place, the reason, and if it is not plain, how to fix it."""

    file: str
    line: int | None
    reason: str

    def __str__(self) -> str:
        return (
            f"{self.file}: {self.reason}"
            if self.line is None
            else (f"{self.file}:{self.line}: {self.reason}")
        )
