"""Findings of the gate that a version is published against, each with the publisher's reason. Pure.

Who accepted them is a row of the database (`models.ReleaseException`) and in no bundle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class AcceptedFinding:
    """A finding as the manifest records it."""

    check: str
    count: int
    items: tuple[str, ...]
    reason: str

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> AcceptedFinding:
        """Read an entry that `as_json` wrote into a manifest."""
        return cls(entry["check"], entry["count"], tuple(entry["items"]), entry["reason"])

    def as_json(self) -> dict[str, Any]:
        return {
            "check": self.check,
            "count": self.count,
            "items": list(self.items),
            "reason": self.reason,
        }
