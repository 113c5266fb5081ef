"""The changes between two versions of a guideline, word by word. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple

Change = Literal["same", "removed", "added"]
# Of a grade, in the order in which pages show them.
PARTS = {
    "name": "name",
    "definition": "definition",
    "detail": "detail",
    "example": "example",
}

AROUND = 15  # words that are kept at each end of a long part that stayed the same


class Piece(NamedTuple):
    """Some words that stayed, were removed or were added."""

    change: Change
    text: str


class TextChange(NamedTuple):
    """A text of a guideline that differs, such as the definition of grade 2."""

    heading: str
    pieces: Sequence[Piece]


def guideline_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[TextChange]:
    """The texts that differ. Both have `instructions` and `grades`, as a Guideline has."""
    return [
        TextChange(heading, abridged(word_changes(old, new)))
        for heading, old, new in _texts(before, after)
        if old != new
    ]


def abridged(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, with "…" for the middle of a long part that stayed the same."""
    return [
        Piece("same", _without_middle(piece.text)) if piece.change == "same" else piece
        for piece in pieces
    ]


def _without_middle(text: str) -> str:
    words = re.findall(r"\s*\S+\s*", text)
    if len(words) <= 3 * AROUND:
        return text
    return f"{''.join(words[:AROUND])} … {''.join(words[-AROUND:])}"


def _texts(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    yield "Instructions", before["instructions"], after["instructions"]
    old_grades, new_grades = (
        {grade["grade"]: grade for grade in version["grades"]} for version in (before, after)
    )
    for grade in sorted({*old_grades, *new_grades}):
        old, new = old_grades.get(grade, {}), new_grades.get(grade, {})
        for part, word in PARTS.items():
            yield f"Grade {grade}: {word}", str(old.get(part, "")), str(new.get(part, ""))


def word_changes(before: str, after: str) -> list[Piece]:
    """The words of both texts with the white space after them, in the order of reading."""
    old, new = (re.findall(r"\S+\s*|\s+", text) for text in (before, after))
    pieces = []
    # Without autojunk, which takes frequent words of a long text for noise.
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag == "equal":
            pieces.append(Piece("same", "".join(old[old_from:old_to])))
            continue
        if old_from < old_to:
            pieces.append(Piece("removed", "".join(old[old_from:old_to])))
        if new_from < new_to:
            pieces.append(Piece("added", "".join(new[new_from:new_to])))
    return pieces
