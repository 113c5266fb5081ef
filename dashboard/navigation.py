"""The tabs at the top of each page of a collection."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.functional import SimpleLazyObject

from accounts.access import roles_in
from accounts.models import Collection, User
from dashboard.roles import pages_of


class Tab(NamedTuple):
    name: str
    url: str
    current: bool = False


def navigation(request: HttpRequest) -> dict[str, Any]:
    """A context processor: the collection and the tabs, on pages of a collection."""
    collection = getattr(request, "collection", None)
    if collection is None:
        return {}
    # Lazy: a partial page for htmx shows no tabs, so it needs no query for them.
    return {
        "collection": collection,
        "places": SimpleLazyObject(lambda: tabs_for(request, collection)),
    }


def tabs_for(request: HttpRequest, collection: Collection) -> list[Tab]:
    """The tabs of the user's roles, each once. A tab is current on its page and on all below."""
    roles = roles_in(collection, request.user) if isinstance(request.user, User) else frozenset()
    labels = dict.fromkeys(label for pages in pages_of(roles) for label in pages.tabs)
    tabs = [Tab(name, url) for name, key in labels if (url := address(collection, key))]
    overview = address(collection, "collection")  # every page's address begins with it
    return [
        tab._replace(
            current=request.path == tab.url
            or (tab.url != overview and request.path.startswith(tab.url))
        )
        for tab in tabs
    ]


def address(collection: Collection, name: str) -> str:
    """The page's address in the collection, or "" if no room has a page of that name."""
    try:
        return reverse(name, args=[collection.slug])
    except NoReverseMatch:
        return ""
