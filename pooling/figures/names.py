"""A source's name on a page."""

from __future__ import annotations

import re


def in_parts(name: str) -> list[str]:
    """A source's name in the parts between which a narrow column may break."""
    return re.findall(r"[^_@:./-]+[_@:./-]?|[_@:./-]", name)
