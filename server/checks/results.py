"""The result of a check. Pure."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class CheckLevel(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


class CheckResult(NamedTuple):
    """A level, what was found, and what to do about it; "" if nothing."""

    level: CheckLevel
    found: str
    advice: str = ""


class NamedCheck(NamedTuple):
    name: str
    result: CheckResult


def ok(found: str) -> CheckResult:
    return CheckResult(CheckLevel.OK, found)


def warning(found: str, advice: str) -> CheckResult:
    return CheckResult(CheckLevel.WARNING, found, advice)


def failed(found: str, advice: str) -> CheckResult:
    return CheckResult(CheckLevel.FAILED, found, advice)
