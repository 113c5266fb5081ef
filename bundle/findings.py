"""Findings of the gate, and those that a version is published against. Pure.

Who accepted them is a row of the database (`models.ReleaseException`) and in no bundle.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check: `count` problems, the first of them in `items`.

    With `can_accept` the collection can be published in spite of them, if the admin accepts it.
    """

    check: str
    ok: bool
    message: str
    count: int = 0
    items: tuple[str, ...] = ()
    how_to_fix: str = ""
    can_accept: bool = True


@dataclass(frozen=True, slots=True)
class AcceptedFinding:
    """A finding as `accepted` of the manifest records it, with the publisher's reason."""

    check: str
    count: int
    items: tuple[str, ...]
    reason: str
