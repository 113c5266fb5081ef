"""Addresses in the collection of a page.

`{% place_url "board" as url %}`: a page of this collection, "" while no app brings it.
`{% own_collection as found %}`: the collection that an address without a page belongs to.
"""

from __future__ import annotations

import re

from django.template import Context, Library

from accounts.models import Collection, User
from dashboard.navigation.context import address

register = Library()


@register.simple_tag(takes_context=True)
def place_url(context: Context, place: str) -> str:
    collection = context.get("collection")
    name, mark, parameters = place.partition("?")
    url = address(collection, name) if collection and name else ""
    return f"{url}{mark}{parameters}" if url else ""


@register.simple_tag(takes_context=True)
def own_collection(context: Context) -> Collection | None:
    """The collection in the address, if the person has a role in it; else None.

    Other people cannot learn from an error page that the collection exists.
    """
    request = context.get("request")
    user = getattr(request, "user", None)
    match = re.match(r"/c/([-\w]+)/", getattr(request, "path", ""))
    if match is None or not isinstance(user, User):
        return None
    return Collection.objects.visible_to(user).filter(slug=match[1]).first()
