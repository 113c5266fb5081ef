"""The navigation of each page of a collection: stages, and the pages of the current stage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from django.db.models import Count
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.functional import SimpleLazyObject

from accounts.access import roles_in
from accounts.models import Collection, Role, User
from dashboard.stages import Page, stages_of
from web.words import Noun, query_source


class Link(NamedTuple):
    """A link of the navigation; `current` on its own page and on all below it."""

    label: str
    url: str
    current: bool
    aria_current: str = "page"  # "true" on the pages below


class StageLink(NamedTuple):
    """A link to the first page of a stage, and the links to all of its pages."""

    label: str
    pages: tuple[Link, ...]

    @property
    def url(self) -> str:
        return self.pages[0].url

    @property
    def current(self) -> bool:
        return any(page.current for page in self.pages)

    @property
    def aria_current(self) -> str:
        """With a second level, the link to the current page is there."""
        return self.pages[0].aria_current if len(self.pages) == 1 else "true"


class Navigation(NamedTuple):
    """What the head of a page shows to a person with these roles."""

    stages: tuple[StageLink, ...]
    roles: frozenset[str]

    @property
    def second_level(self) -> StageLink | None:
        """The current stage, if it has several pages."""
        stages = (stage for stage in self.stages if stage.current and len(stage.pages) > 1)
        return next(stages, None)

    @property
    def parent(self) -> Link | None:
        """The page that the current page is below; None on a page of the navigation."""
        pages = (page for stage in self.stages for page in stage.pages)
        return next((page for page in pages if page.current and page.aria_current != "page"), None)

    @property
    def role_names(self) -> list[str]:
        return [role.label for role in Role if role in self.roles]

    @property
    def can_search(self) -> bool:
        return Role.ADMIN in self.roles


def navigation(request: HttpRequest) -> dict[str, Any]:
    """A context processor: the collection and the navigation, on pages of a collection.

    `query_source` is the noun for what its queries are made of: query papers or topics.
    """
    collection = getattr(request, "collection", None)
    if collection is None:
        return {}
    # Lazy: a partial page for htmx shows no navigation, so it needs no query for it.
    return {
        "collection": collection,
        "navigation": SimpleLazyObject(lambda: navigation_for(request, collection)),
        "query_source": SimpleLazyObject(lambda: query_source_of(collection)),
    }


def query_source_of(collection: Collection) -> Noun:
    numbers = collection.query_papers.aggregate(topics=Count("topic"), papers=Count("document"))
    return query_source(**numbers)


def navigation_for(request: HttpRequest, collection: Collection) -> Navigation:
    """The stages and pages that the person's roles open. One query."""
    roles = roles_in(collection, request.user) if isinstance(request.user, User) else frozenset()
    stages = (
        StageLink(stage.label, tuple(_links(request.path, collection, stage.pages)))
        for stage in stages_of(roles)
    )
    return Navigation(tuple(stage for stage in stages if stage.pages), roles)


def _links(path: str, collection: Collection, pages: Iterable[Page]) -> Iterator[Link]:
    overview = address(collection, "collection")  # every page's address begins with it
    for page in pages:
        url = address(collection, page.url_name)
        if not url:
            continue
        is_below = url != overview and path != url and path.startswith(url)
        aria_current = "true" if is_below else "page"
        yield Link(page.label, url, path == url or is_below, aria_current)


def address(collection: Collection, name: str) -> str:
    """The page's address in the collection, or "" if no room has a page of that name."""
    try:
        return reverse(name, args=[collection.slug])
    except NoReverseMatch:
        return ""
