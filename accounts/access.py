"""Who may see a collection's pages. Without the role a page does not exist: 404, never 403."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponseBase

from accounts.models import Collection, User

View = Callable[..., HttpResponseBase]


def roles_in(collection: Collection, user: User) -> frozenset[str]:
    return frozenset(collection.memberships.filter(user=user).values_list("role", flat=True))


def collection_for(user: Any, slug: str, *roles: str) -> Collection:
    """The collection, if the user holds one of the roles in it (any role when none is named).

    Raises:
        Http404: no such collection, or the user lacks the role; the two look the same.
    """
    found = None
    if isinstance(user, User):
        visible = (
            Collection.objects.with_role(user, roles)
            if roles
            else Collection.objects.visible_to(user)
        )
        found = visible.filter(slug=slug).first()
    if found is None:
        raise Http404(f"no collection {slug} for this person")
    return found


def in_collection(*roles: str) -> Callable[[View], Callable[..., HttpResponseBase]]:
    """Decorate a view of `/c/<slug>/…`: it gets the collection instead of the slug, or is a 404.

    The collection and the user's roles in it also go on the request, for the navigation.
    """

    def decorate(view: View) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def wrapped(request: HttpRequest, slug: str, **arguments: Any) -> HttpResponseBase:
            collection = collection_for(request.user, slug, *roles)
            request.collection = collection  # type: ignore[attr-defined]
            return view(request, collection, **arguments)

        return wrapped

    return decorate
