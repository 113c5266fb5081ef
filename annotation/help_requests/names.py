"""Find in an admin's text the names that judges must not read. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable


def named_in(text: str, names: Iterable[str]) -> list[str]:
    """Those of the names that the text has as whole words, whatever the case and the spaces.

    A name of one character is never found: it is a letter of other words, as in "a".
    """
    shown = _plain(text)
    found = {name for name in names if len(name) > 1 and _is_in(shown, _plain(name))}
    return sorted(found)


def _is_in(text: str, name: str) -> bool:
    """True if no letter, digit or underscore is beside the name, so "ann" is not in "annotate"."""
    return bool(name) and bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
