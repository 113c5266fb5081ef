"""Single keys for labels and commands. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase, digits


def single_keys(names: Sequence[str], reserved: str = "") -> list[str]:
    """A different key for each name: its first free letter, or else any free digit or letter.

    Names come first that must have a letter of theirs. A name gets "" once no key is free.
    """
    free = set(ascii_lowercase + digits) - set(reserved)
    keys = []
    for name in names:
        own_letters = (letter for letter in name.lower() if letter in free)
        key = next(own_letters, min(free, default=""))
        free.discard(key)
        keys.append(key)
    return keys
