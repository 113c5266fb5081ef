"""The navigation of each page of a collection: stages, and the pages of the current stage."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from django.db.models import Count, Exists
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.functional import SimpleLazyObject
from django.utils.http import urlencode
from django.utils.translation import gettext

from accounts.models import Collection, Role, User
from corpus.models import Facet
from dashboard.navigation.stages import FULL_TEXT_STUDIES, TRAINING, NavigationPage, stages_of
from evaluation.choices import kept_choices
from practice.models import PracticeKind
from studies.reading import own_studies
from web.words import Noun, query_source

NO_CHOICES: Mapping[str, str] = {}


class Link(NamedTuple):
    """A link of the navigation; `current` on its own page and on all below it."""

    caption: str
    url: str
    current: bool
    aria_current: str = "page"  # "true" on the pages below


class StageLink(NamedTuple):
    """A link to the first page of a stage, and the links to all of its pages."""

    caption: str
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
    """The head of a page, as a person with these roles sees it."""

    stages: tuple[StageLink, ...]
    roles: frozenset[str]
    steps: tuple[Link, ...] = ()  # those of the current page, in their order

    @property
    def second_level(self) -> StageLink | None:
        """The current stage, if it has several pages."""
        stages = (stage for stage in self.stages if stage.current and len(stage.pages) > 1)
        return next(stages, None)

    @property
    def parent(self) -> Link | None:
        """The page that the current page is below; None on a page of the navigation."""
        if any(step.current and step.aria_current == "page" for step in self.steps):
            return None
        pages = (page for stage in self.stages for page in stage.pages)
        return next((page for page in pages if page.current and page.aria_current != "page"), None)

    @property
    def role_names(self) -> list[str]:
        return [str(role.label) for role in Role if role in self.roles]

    @property
    def is_admin(self) -> bool:
        return Role.ADMIN in self.roles

    @property
    def can_search(self) -> bool:
        return self.is_admin


def navigation(request: HttpRequest) -> dict[str, Any]:
    """A context processor: the collection and the navigation, on pages of a collection.

    `query_source` is the noun for what its queries are made of: query papers or topics.
    `has_facets` is False where documents are judged as a whole.
    """
    collection = getattr(request, "collection", None)
    if collection is None:
        return {}
    # Lazy: a partial page for htmx shows no navigation, so it needs no query for it.
    view = cache(lambda: _view_of(collection, request.user))
    return {
        "collection": collection,
        "navigation": SimpleLazyObject(lambda: navigation_for(request, collection, view())),
        "has_facets": SimpleLazyObject(lambda: view().has_facets),
        "query_source": SimpleLazyObject(lambda: _query_source_of(collection, view())),
    }


def _query_source_of(collection: Collection, view: View) -> Noun:
    numbers = collection.query_papers.aggregate(topics=Count("topic"), papers=Count("document"))
    noun = query_source(**numbers, has_facets=view.has_facets)
    return Noun(gettext(noun.one), gettext(noun.many))


def navigation_for(
    request: HttpRequest, collection: Collection, view: View | None = None
) -> Navigation:
    """The stages and pages that the person's roles open. No query if the view is given."""
    view = view or _view_of(collection, request.user)
    present = {FULL_TEXT_STUDIES: view.has_study, TRAINING: view.has_training}
    stages = stages_of(view.roles, has_facets=view.has_facets)
    overview = address(collection, "collection")
    places = {
        page: place
        for stage in stages
        for page in stage.pages
        if present.get(page.url_name, True) and (place := _place_of(collection, page, view.roles))
    }
    current = _current_of(request.path, overview, places)
    choices = kept_choices(request.GET)
    links = (
        StageLink(
            gettext(stage.caption),
            tuple(
                _link(
                    request.path,
                    gettext(page.caption),
                    places[page],
                    page == current,
                    choices if stage.shares_choices else {},
                )
                for page in stage.pages
                if page in places
            ),
        )
        for stage in stages
    )
    return Navigation(
        tuple(stage for stage in links if stage.pages),
        view.roles,
        _step_links(collection, current, view.roles, request.path) if current else (),
    )


class Place(NamedTuple):
    """The addresses of a page of the navigation: its link, and the beginnings of those it holds."""

    url: str
    beginnings: tuple[str, ...]


def _place_of(collection: Collection, page: NavigationPage, roles: frozenset[str]) -> Place | None:
    """None if no room has the page. The link to a page with steps leads to the first of them."""
    overview = address(collection, "collection")
    steps = [address(collection, step.url_name) for step in page.steps_of(roles)]
    url = steps[0] if steps else address(collection, page.url_name)
    held = (f"{overview}{beginning}" for beginning in page.holds)
    return Place(url, (url, *steps[1:], *held)) if url else None


def _current_of(
    path: str, overview: str, places: Mapping[NavigationPage, Place]
) -> NavigationPage | None:
    """The page that this path is, or is below; None if there is none.

    An address may begin with another page's, as those below evaluation/ do. The longest counts.
    Every address begins with that of the overview, so no page is below it.
    """
    above = [
        (len(beginning), page)
        for page, place in places.items()
        for beginning in place.beginnings
        if path == beginning or (beginning != overview and path.startswith(beginning))
    ]
    return max(above, key=lambda found: found[0])[1] if above else None


def _step_links(
    collection: Collection, page: NavigationPage, roles: frozenset[str], path: str
) -> tuple[Link, ...]:
    """The steps of the current page; none if the person may open only one."""
    steps = page.steps_of(roles)
    urls = [address(collection, step.url_name) for step in steps]
    links = (
        _link(path, gettext(step.caption), Place(url, (url,)), path.startswith(url))
        for step, url in zip(steps, urls, strict=True)
    )
    return tuple(links) if len(steps) > 1 else ()


class View(NamedTuple):
    """The facts that decide which pages a person sees in a collection."""

    roles: frozenset[str] = frozenset()
    has_study: bool = False  # a full-text study to rate
    has_facets: bool = True
    has_training: bool = False  # a set to train with, or a qualification to reach


def _view_of(collection: Collection, user: Any) -> View:
    if not isinstance(user, User):
        return View()
    rows = list(
        collection.memberships.filter(user=user).values_list(
            "role",
            Exists(collection.studies.filter(rater=user)),
            ~Exists(Facet.objects.filter(collection=collection, key="")),
            Exists(collection.practice_sets.filter(kind=PracticeKind.TRAINING)),
        )
    )
    roles = frozenset(row[0] for row in rows)
    # A rater's studies are asked for only if there are any. To build that query takes longer than
    # all else of the navigation.
    has_study = any(row[1] for row in rows) and own_studies(collection, user).exists()
    is_trained = collection.qualifying_rho is not None or any(row[3] for row in rows)
    has_training = Role.ADMIN in roles or is_trained
    return View(roles, has_study, any(row[2] for row in rows), has_training)


def _link(
    path: str, caption: str, place: Place, current: bool, choices: Mapping[str, str] = NO_CHOICES
) -> Link:
    url = f"{place.url}?{urlencode(choices)}" if choices else place.url
    return Link(caption, url, current, "page" if path == place.url else "true")


def address(collection: Collection, name: str) -> str:
    """The page's address in the collection, or "" if no room has a page of that name."""
    try:
        return reverse(name, args=[collection.slug])
    except NoReverseMatch:
        return ""
