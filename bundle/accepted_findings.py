"""Findings of the gate that a version is published against, each with the publisher's reason. Pure.

Who accepted them is a row of the database (`models.ReleaseException`) and in no bundle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class AcceptedFinding:
    """A finding as the manifest records it."""

    check: str
    count: int
    items: tuple[str, ...]
    reason: str

    def as_json(self) -> dict[str, Any]:
        return {
            "check": self.check,
            "count": self.count,
            "items": list(self.items),
            "reason": self.reason,
        }
