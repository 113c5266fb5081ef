"""Links that change one choice of a page. Pure; templates/web/_choice_links.html shows them."""

from __future__ import annotations

from typing import NamedTuple


class ChoiceLink(NamedTuple):
    caption: str
    url: str
    current: bool
