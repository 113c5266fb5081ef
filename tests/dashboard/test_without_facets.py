"""The pages of a collection without facets do not speak of facets or of query papers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from corpus.facets import NO_FACETS
from tests.support.api_world import a_world, every_id
from tests.support.crawling import filled, patterns
from tests.support.factories import a_collection, a_topic, an_open_topic
from tests.support.sittings import judge_at_once

# About words on pages.
pytestmark = pytest.mark.one_database

WORDS = re.compile(r"facet|query paper|\d{7}_method|demo-\d+_(background|method|result)", re.I)
# What may speak of facets, each with its reason.
ALLOWED = {
    "This collection has no facets": "the page does not apply, and says why",
    "No facets to compare": "the same, as a heading",
    "Facets compared": "the name of that page",
}
ALLOWED_PAGES = {
    "/settings/": "where the facets are chosen",
    "/evaluation/add/": "names and definitions of CSFCube’s baselines",
    "/releases/1.0/": "shows the README of the files, which have these names",
}
READ_ATTRIBUTES = ("title", "aria-label", "alt", "placeholder", "content")


class PageText(HTMLParser):
    """What a person reads or hears of a page, without the examples of import formats."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.unread = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.unread += tag in ("script", "style")
        self.texts += [value for name, value in attrs if name in READ_ATTRIBUTES and value]

    def handle_endtag(self, tag: str) -> None:
        self.unread -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self.unread:
            self.texts.append(data)

    @property
    def line(self) -> str:
        return " ".join(" ".join(self.texts).split())


def found_words(html: str) -> list[str]:
    text = re.sub("|".join(ALLOWED), "", PageText(html).line)
    return [text[max(0, m.start() - 50) : m.end() + 30] for m in WORDS.finditer(text)]


def words_of_facets(addresses: Iterable[str]) -> list[str]:
    """Each place of the words on the pages. Admins see most of them."""
    return [
        f"{address}: {words}"
        for address, html in pages(addresses, "admin", "ann1", "adju")
        for words in found_words(html)
    ]


def pages(addresses: Iterable[str], *usernames: str) -> Iterator[tuple[str, str]]:
    """Every page of the addresses with its HTML, as the first person sees it who can open it."""
    clients = [Client() for _ in usernames]
    for client, username in zip(clients, usernames, strict=True):
        client.force_login(User.objects.get(username=username))
    for address in addresses:
        if address.removeprefix("/c/small") in ALLOWED_PAGES:
            continue
        for client in clients:
            response = client.get(address)
            if response.status_code == 200 and "text/html" in response["Content-Type"]:
                yield address, response.text
                break


@pytest.mark.by_day(4)
def test_no_page_of_an_empty_collection_without_facets_speaks_of_facets(db):
    a_collection(facets=NO_FACETS)
    addresses = [
        reverse(pattern.name, args=["small"])
        for route, pattern in patterns()
        if route.startswith("c/") and route.count("<") == 1
    ]

    found = words_of_facets(addresses)

    assert not found, "\n".join(found)


@pytest.mark.by_day(4)
def test_no_page_of_a_judged_collection_without_facets_speaks_of_facets(db):
    world = a_world(facets=NO_FACETS)
    opening = an_open_topic(world.collection, facet="")
    judge_at_once((slot, 1) for slot in opening.query.pairs.first().slots.all())
    a_topic(world.collection, name="t2", facet="")  # without a pool, so that one can be planned
    ids = {name: values[:2] for name, values in every_id(world).items()}
    routes = [route for route, _ in patterns() if route.startswith("c/") and "figure" not in route]

    found = words_of_facets(address for route in routes for address in filled(route, ids))

    assert not found, "\n".join(found)
