"""Text that a database cannot store. Pure."""

from __future__ import annotations

import re
from typing import Any

# PostgreSQL's text cannot hold NUL, and UTF-8 cannot encode half of a surrogate pair.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def find_unstorable(value: Any) -> str:
    """The first character in a text, or anywhere in lists and dicts of texts, that cannot be
    stored, as "U+0000"; "" if there is none."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            if match := UNSTORABLE.search(value):
                return f"U+{ord(match[0]):04X}"
        elif isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple):
            waiting += value
    return ""


def explain(place: str, character: str) -> str:
    return (
        f"{place} contains the character {character}, which cannot be stored. "
        "Remove it and send the request again."
    )
