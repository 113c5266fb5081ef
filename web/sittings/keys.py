"""A key for each choice or command of a page. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase, digits


def assign_keys(names: Sequence[str], reserved: str = "") -> list[str]:
    """A different key for each name: its first free letter, or else any free digit or letter.

    Names whose first letter is free get it before the other names choose, so that most keys are
    what a person expects. A name gets "" once no key is free.
    """
    keys = [""] * len(names)
    free = [key for key in digits + ascii_lowercase if key not in reserved]
    for can_have in (lambda name: name[:1], lambda name: [*name, *free]):
        for i, name in enumerate(names):
            if not keys[i]:
                keys[i] = next((key for key in can_have(name.lower()) if key in free), "")
            if keys[i] in free:
                free.remove(keys[i])
    return keys
