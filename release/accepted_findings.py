"""Findings of the gate that a version is published against, each with the publisher's reason. Pure.

Who accepted them is a row of the database (`models.ReleaseException`) and in no bundle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from release.errors import BadReason, UnknownCheck

if TYPE_CHECKING:
    from release.gate import Finding

LONGEST_REASON = 500  # characters
Reasons = Mapping[str, str]  # a check that is accepted, and why
NONE_ACCEPTED: Reasons = {}


@dataclass(frozen=True, slots=True)
class AcceptedFinding:
    """A finding as the manifest records it."""

    check: str
    count: int
    items: tuple[str, ...]
    reason: str

    @classmethod
    def of(cls, finding: Finding, reason: str) -> AcceptedFinding:
        return cls(finding.check, finding.count, finding.items, reason)

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> AcceptedFinding:
        """What `as_json` wrote into a manifest."""
        return cls(entry["check"], entry["count"], tuple(entry["items"]), entry["reason"])

    def as_json(self) -> dict[str, Any]:
        return {
            "check": self.check,
            "count": self.count,
            "items": list(self.items),
            "reason": self.reason,
        }


def checked_reasons(accept: Mapping[str, str], acceptable: Sequence[str]) -> dict[str, str]:
    """The reasons on one line each, by check.

    Raises:
        UnknownCheck: a check does not exist or can never be accepted.
        BadReason: a reason is empty or too long.
    """
    return {check: _reason(check, accept[check], acceptable) for check in sorted(accept)}


def _reason(check: str, reason: str, acceptable: Sequence[str]) -> str:
    if check not in acceptable:
        raise UnknownCheck(check, acceptable)
    line = " ".join(reason.split())  # the README has it as an item of a list
    if not line or len(line) > LONGEST_REASON:
        raise BadReason(check, len(line), LONGEST_REASON)
    return line
