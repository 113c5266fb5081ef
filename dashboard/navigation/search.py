"""Search in one collection: its pages, queries and documents."""

from __future__ import annotations

from typing import NamedTuple

from django.urls import reverse
from django.utils.http import urlencode

from accounts.models import Collection
from corpus.models import QueryPaper, QueryQuerySet
from dashboard.navigation.context import Navigation

SHOWN = 10


class Hit(NamedTuple):
    """A page that was found. `title` is the title of the paper, if it is about one."""

    name: str
    url: str
    title: str = ""


class HitGroup(NamedTuple):
    """Hits of one kind. `more_url` lists the others of that kind, "" if there are none."""

    caption: str
    hits: list[Hit]
    more_url: str = ""


def search(collection: Collection, words: str, navigation: Navigation) -> list[HitGroup]:
    """The hits of the words, at most SHOWN of each kind; a page by its caption. Two queries."""
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
    return [Hit(page.caption, page.url) for page in pages if words.lower() in page.caption.lower()]


def _queries(collection: Collection, words: str) -> HitGroup:
    queries: QueryQuerySet = collection.queries.matching(words).order_by("name_order")
    hits = [
        Hit(query.name, _page(collection, query.query_paper), query.query_paper.title)
        for query in queries.with_titles()[: SHOWN + 1]
    ]
    return _group("Queries", "queries", collection, hits, words)


def _page(collection: Collection, paper: QueryPaper) -> str:
    return reverse(paper.page, args=[collection.slug, paper.name])


def _documents(collection: Collection, words: str) -> HitGroup:
    rows = collection.documents.matching(words).order_by("docno_order")
    hits = [
        Hit(docno, reverse("document", args=[collection.slug, docno]), title)
        for docno, title in rows.values_list("docno", "title")[: SHOWN + 1]
    ]
    return _group("Documents", "documents", collection, hits, words)


def _group(
    caption: str, url_name: str, collection: Collection, hits: list[Hit], words: str
) -> HitGroup:
    """`url_name` is that of the page that lists all of them."""
    all_url = f"{reverse(url_name, args=[collection.slug])}?{urlencode({'q': words})}"
    return HitGroup(caption, hits[:SHOWN], all_url if len(hits) > SHOWN else "")
