"""A source's name on a page."""

from __future__ import annotations

import re


def breakable_parts(name: str) -> list[str]:
    """A source's name in parts; a narrow column may break between them."""
    return re.findall(r"[^_@:./-]+[_@:./-]?|[_@:./-]", name)
