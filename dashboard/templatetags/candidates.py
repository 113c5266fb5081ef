"""The sources of a candidate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Protocol

from django.template import Library
from django.utils.safestring import SafeString, mark_safe

register = Library()


class FoundBySource(Protocol):
    """A contribution, or a place in the list of another system."""

    source: str
    rank: int | None
    score: float | None
    drawn: bool


@register.simple_tag
def sources(found: Iterable[FoundBySource], systems: Mapping[str, str]) -> SafeString:
    """Each source with its rank, the one that drew the document first.

    `systems` has the address of each source that has a page. A response can have 500 of them, and
    a template takes several times as long.
    """
    return mark_safe("\n".join(_source(each, systems.get(each.source, "")) for each in found))


def _source(each: FoundBySource, address: str) -> str:
    name = f"<code>{escape(each.source)}</code>"
    said = [
        "drew the document" if each.drawn else "",
        f"score {each.score}" if each.score is not None else "",
    ]
    title = ", ".join(filter(None, said))
    if address:
        name = f'<a href="{escape(address)}">{name}</a>'
    rank = f" {each.rank:,}" if each.rank else ""
    return f'<span class="had" title="{title}">{name}{rank}</span>'
