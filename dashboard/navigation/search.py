"""Search in one collection: pages, actions, queries, documents, systems and people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import Q
from django.urls import reverse
from django.utils.http import urlencode

from accounts.models import Collection, Role, User
from corpus.models import QueryQuerySet
from dashboard.navigation.context import Navigation, address
from dashboard.navigation.stages import ACTIONS, Action

SHOWN = 10


class Hit(NamedTuple):
    """A page that was found. `title` says more about it, such as the title of a paper."""

    name: str
    url: str
    title: str = ""


class HitGroup(NamedTuple):
    """Hits of one kind. `more_url` lists the others of that kind, "" if there are none."""

    caption: str
    hits: list[Hit]
    more_url: str = ""


def search(
    collection: Collection, words: str, navigation: Navigation, shown: int = SHOWN
) -> list[HitGroup]:
    """The hits of the words, at most `shown` of each kind. Six queries."""
    if not words:
        return []
    groups = (
        HitGroup("Pages", _pages(navigation, words)),
        HitGroup("Actions", _actions(collection, words)),
        _queries(collection, words, shown),
        _documents(collection, words, shown),
        _systems(collection, words, shown),
        _people(collection, words, shown),
    )
    return [group for group in groups if group.hits]


def _pages(navigation: Navigation, words: str) -> list[Hit]:
    pages = (page for stage in navigation.stages for page in stage.pages)
    return [Hit(page.caption, page.url) for page in pages if words.lower() in page.caption.lower()]


def _actions(collection: Collection, words: str) -> list[Hit]:
    """The actions of which each typed word begins a word."""
    typed = words.lower().split()
    return [
        Hit(action.caption, _address_of(collection, action))
        for action in ACTIONS
        if all(_begins_a_word(word, action) for word in typed)
    ]


def _begins_a_word(typed: str, action: Action) -> bool:
    return any(
        word.startswith(typed) for word in f"{action.caption} {action.words}".lower().split()
    )


def _address_of(collection: Collection, action: Action) -> str:
    url = address(collection, action.url_name)
    return f"{url}{action.suffix}"


def _queries(collection: Collection, words: str, shown: int) -> HitGroup:
    queries: QueryQuerySet = collection.queries.matching(words).order_by("name_order")
    hits = [
        Hit(query.name, _page("query", collection, query.name), query.query_paper.title)
        for query in queries.with_titles()[: shown + 1]
    ]
    return _group("Queries", _all_of("queries", collection, words), hits, shown)


def _documents(collection: Collection, words: str, shown: int) -> HitGroup:
    rows = collection.documents.matching(words).order_by("docno_order")
    hits = [
        Hit(docno, _page("document", collection, docno), title)
        for docno, title in rows.values_list("docno", "title")[: shown + 1]
    ]
    return _group("Documents", _all_of("documents", collection, words), hits, shown)


def _systems(collection: Collection, words: str, shown: int) -> HitGroup:
    """Runs and systems: a run that was scored is both, and has one page."""
    runs = collection.runs.filter(name__icontains=words).values_list("name", flat=True)
    systems = collection.systems.filter(name__icontains=words).values_list("name", flat=True)
    names = sorted({*runs.order_by("name")[: shown + 1], *systems.order_by("name")[: shown + 1]})
    hits = [Hit(name, _page("system", collection, name)) for name in names]
    return _group("Systems", _all_of("leaderboard", collection, words), hits, shown)


def _people(collection: Collection, words: str, shown: int) -> HitGroup:
    members = collection.memberships.select_related("user").order_by("user__username")
    for word in words.split():
        members = members.filter(
            Q(user__username__icontains=word)
            | Q(user__first_name__icontains=word)
            | Q(user__last_name__icontains=word)
        )
    roles: dict[User, list[str]] = {}
    for member in members[: (shown + 1) * len(Role)]:
        roles.setdefault(member.user, []).append(member.get_role_display().lower())
    hits = [
        Hit(person.shown_name, _page("person", collection, person.pk), ", ".join(held))
        for person, held in roles.items()
    ]
    return _group("People", _all_of("people", collection, words), hits, shown)


def _page(url_name: str, collection: Collection, name: object) -> str:
    return reverse(url_name, args=[collection.slug, name])


def _all_of(url_name: str, collection: Collection, words: str) -> str:
    return f"{reverse(url_name, args=[collection.slug])}?{urlencode({'q': words})}"


def _group(caption: str, all_url: str, hits: Iterable[Hit], shown: int) -> HitGroup:
    """`all_url` is the page that lists all of them."""
    found = list(hits)
    return HitGroup(caption, found[:shown], all_url if len(found) > shown else "")
