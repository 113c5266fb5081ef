"""Who may see what: the one way in which a view gets its collection.

    @in_collection(ADMIN)
    def documents(request, collection): ...

A collection that the person is not in does not exist for them (404); in it, another role is a 403. Without roles,
every member may come in. The membership is at `request.membership`. A superuser is an admin everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse

from accounts.models import Collection, Membership, User
from web.errors import Forbidden

View = Callable[..., HttpResponse]


class CollectionRequest(HttpRequest):
    """A request inside a collection, for annotations: `user` is logged in."""

    user: User
    collection: Collection
    membership: Membership


def in_collection(*roles: str) -> Callable[[View], View]:
    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(request: CollectionRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponse:
            request.membership = membership_or_404(request.user, slug)
            request.collection = request.membership.collection
            require_role(request.membership, *roles)
            return view(request, request.collection, *args, **kwargs)

        wrapped.roles = roles  # type: ignore[attr-defined]  # the test of roles × addresses reads it
        return wrapped

    return decorate


def for_superusers(view: View) -> View:
    @wraps(view)
    def wrapped(request: CollectionRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_superuser:
            raise Forbidden("This page is for those who manage this server.")
        return view(request, *args, **kwargs)

    return wrapped


def membership_or_404(user: User, slug: str) -> Membership:
    membership = (
        Membership.objects.active().filter(user=user, collection__slug=slug).select_related("collection").first()
    )
    if user.is_superuser:
        collection = membership.collection if membership else Collection.objects.filter(slug=slug).first()
        if collection:
            membership = membership or Membership(collection=collection, user=user)
            membership.is_admin = True
    if membership is None:
        raise Http404("No such collection.")
    return membership


def require_role(membership: Membership, *roles: str) -> None:
    if roles and not set(roles) & set(membership.roles):
        needed = " or ".join(roles)
        raise Forbidden(f"This page is for {needed}s of {membership.collection.name}. You are not one of them.")
