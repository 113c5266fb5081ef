"""The result of a check. Pure."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Level(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


class Result(NamedTuple):
    """A level, what was found, and what to do about it; "" if nothing."""

    level: Level
    found: str
    advice: str = ""


class NamedResult(NamedTuple):
    name: str
    result: Result


def ok(found: str) -> Result:
    return Result(Level.OK, found)


def warning(found: str, advice: str) -> Result:
    return Result(Level.WARNING, found, advice)


def failed(found: str, advice: str) -> Result:
    return Result(Level.FAILED, found, advice)
