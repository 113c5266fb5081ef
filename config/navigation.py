"""The frame of every page: which collection this is, and where this person can go in it."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.functional import SimpleLazyObject

from accounts.access import roles_in
from accounts.models import Collection, Role, User

ADMIN_PLACES = (
    ("Overview", "collection"),
    ("Documents", "documents"),
    ("Queries", "queries"),
    ("Runs", "runs"),
    ("Pools", "pools"),
    ("Judging", "board"),
    ("Guidelines", "guidelines"),
    ("Agreement", "agreement"),
    ("Releases", "releases"),
    ("Jobs", "jobs"),
    ("People", "people"),
    ("Settings", "collection-settings"),
)
# What a role adds; somebody with several roles gets the tabs of each, own work first.
PLACES = {
    Role.ANNOTATOR: (("Overview", "collection"), ("Judge", "judge")),
    Role.ADJUDICATOR: (("Overview", "collection"), ("Adjudicate", "adjudicate")),
    Role.ADMIN: ADMIN_PLACES,
}


class Place(NamedTuple):
    name: str
    url: str
    current: bool = False


def navigation(request: HttpRequest) -> dict[str, Any]:
    collection = getattr(request, "collection", None)
    if collection is None:
        return {}
    # Lazy: a part of a page that htmx asks for shows no tabs and needs no query for them.
    return {
        "collection": collection,
        "places": SimpleLazyObject(lambda: places_for(request, collection)),
    }


def places_for(request: HttpRequest, collection: Collection) -> list[Place]:
    """The tabs of the user's roles; a tab is current on its page and on all below."""
    roles = roles_in(collection, request.user) if isinstance(request.user, User) else frozenset()
    named = dict.fromkeys(place for role in PLACES if role in roles for place in PLACES[role])
    places = [Place(name, url) for name, key in named if (url := address(collection, key))]
    overview = address(collection, "collection")  # every page's address begins with it
    return [
        place._replace(
            current=request.path == place.url
            or (place.url != overview and request.path.startswith(place.url))
        )
        for place in places
    ]


def address(collection: Collection, name: str) -> str:
    """The page's address in the collection, or "" while no app brings a page of that name."""
    try:
        return reverse(name, args=[collection.slug])
    except NoReverseMatch:
        return ""
