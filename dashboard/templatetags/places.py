"""`{% place_url "board" as url %}`: a page of this collection, "" while no app brings it."""

from __future__ import annotations

from django.template import Context, Library

from dashboard.navigation import address

register = Library()


@register.simple_tag(takes_context=True)
def place_url(context: Context, name: str) -> str:
    collection = context.get("collection")
    return address(collection, name) if collection and name else ""
