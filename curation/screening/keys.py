"""A key for each choice of the screening page. Pure."""

from __future__ import annotations

from collections.abc import Sequence

# Keys of the page: undo, and note of a reason. Ratings have numbers as keys.
RESERVED = "un"


def assign_keys(names: Sequence[str], reserved: str = RESERVED) -> list[str]:
    """A letter for each name: its first free one. "" if none of its letters is free.

    Names whose first letter is free get it before the other names choose, so that most keys are
    what a person expects.
    """
    keys = [""] * len(names)
    taken = set(reserved)
    for i, name in enumerate(names):
        first = name[:1].lower()
        if _is_key(first) and first not in taken:
            keys[i] = first
            taken.add(first)
    for i, name in enumerate(names):
        if not keys[i]:
            letters = [*name.lower(), *"abcdefghijklmnopqrstuvwxyz"]
            free = (letter for letter in letters if _is_key(letter) and letter not in taken)
            keys[i] = next(free, "")
            taken.add(keys[i])
    return keys


def _is_key(letter: str) -> bool:
    return letter.isascii() and letter.isalpha()
