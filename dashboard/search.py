"""Search in one collection: its pages, queries and documents."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Q
from django.urls import reverse
from django.utils.http import urlencode

from accounts.models import Collection
from corpus.views import matching
from dashboard.navigation import Navigation

SHOWN = 10


class Hit(NamedTuple):
    """A page that was found. `title` is the title of the paper, if it is about one."""

    name: str
    url: str
    title: str = ""


class HitGroup(NamedTuple):
    """Hits of one kind. `more_url` lists the others of that kind, "" if there are none."""

    label: str
    hits: list[Hit]
    more_url: str = ""


def search(collection: Collection, words: str, navigation: Navigation) -> list[HitGroup]:
    """What matches the words, at most SHOWN of each kind. Two queries.

    A document matches if its docno begins with the words or its title contains them. A query
    matches if its id or title contains them, and a page if its label does.
    """
    if not words:
        return []
    groups = (
        HitGroup("Pages", _pages(navigation, words)),
        _queries(collection, words),
        _documents(collection, words),
    )
    return [group for group in groups if group.hits]


def _pages(navigation: Navigation, words: str) -> list[Hit]:
    pages = (page for stage in navigation.stages for page in stage.pages)
    return [Hit(page.label, page.url) for page in pages if words.lower() in page.label.lower()]


def _queries(collection: Collection, words: str) -> HitGroup:
    named = Q(name__icontains=words) | Q(query_paper__document__title__icontains=words)
    rows = collection.queries.filter(named).order_by("name")
    hits = [
        Hit(name, reverse("document", args=[collection.slug, docno]), title)
        for name, docno, title in rows.values_list(
            "name", "query_paper__document__docno", "query_paper__document__title"
        )[: SHOWN + 1]
    ]
    return _group("Queries", hits, reverse("queries", args=[collection.slug]), words)


def _documents(collection: Collection, words: str) -> HitGroup:
    rows = matching(collection.documents.all(), words).order_by("docno")
    hits = [
        Hit(docno, reverse("document", args=[collection.slug, docno]), title)
        for docno, title in rows.values_list("docno", "title")[: SHOWN + 1]
    ]
    return _group("Documents", hits, reverse("documents", args=[collection.slug]), words)


def _group(label: str, hits: list[Hit], url: str, words: str) -> HitGroup:
    more_url = f"{url}?{urlencode({'q': words})}" if len(hits) > SHOWN else ""
    return HitGroup(label, hits[:SHOWN], more_url)
