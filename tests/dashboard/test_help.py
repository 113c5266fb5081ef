"""The docs below `/help/`, and the page of the docs that each page of the product links."""

from __future__ import annotations

import re

import pytest
from django.template import Context, Template
from django.test import Client, RequestFactory
from django.urls import ResolverMatch, reverse

from dashboard.help.pages import DOCS, PAGES_HELPED, help_url
from dashboard.help.rendering import names_of_pages, rendered_page
from tests.test_permissions import ADDRESSES, LEADING_ON

ADDRESS = "/help/"
PAGES = sorted(names_of_pages(DOCS))
# Not pages of their own: files, parts of a page, and addresses that lead on to a page.
NO_PAGES = re.compile(
    r"api-(?!docs)|moved-|.*-(csv|json|figure|file|picture|manifest|ahead|download|card|answers|round-run)$"
)
PARTS = LEADING_ON - {"home", "my-collections", "query", "system", "person", "ranked-lists"}


def html_of(page: str) -> str:
    return rendered_page(DOCS, page, ADDRESS).html


def anchors_of(page: str) -> set[str]:
    return set(re.findall(r'id="([^"]+)"', html_of(page)))


def test_every_page_links_a_page_of_the_docs():
    shown = {address.name for address in ADDRESSES if "get" in address.methods}
    pages = {name for name in shown - PARTS if not NO_PAGES.match(name)}

    named = {name for names in PAGES_HELPED.values() for name in names}
    assert pages - named == set()


def test_the_list_names_no_page_twice_and_only_parts_that_there_are():
    named = [name for names in PAGES_HELPED.values() for name in names]

    assert len(named) == len(set(named))
    for place in PAGES_HELPED:
        page, _, part = place.partition("#")
        assert not part or part in anchors_of(page)


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_leads_to_a_page_and_a_part_of_the_docs(page):
    for place, part in re.findall(r'href="(/help/[^"#]*)?(?:#([^"]*))?"', html_of(page)):
        target = place.removeprefix(ADDRESS).strip("/") or "index" if place else page
        assert target in PAGES
        assert not part or part in anchors_of(target)


def test_no_page_loads_anything_from_elsewhere():
    loaded = re.findall(r'(?:src|data)="([^"]+)"', "".join(map(html_of, PAGES)))

    assert loaded
    assert all(address.startswith(f"{ADDRESS}pictures/") for address in loaded)


@pytest.mark.django_db
@pytest.mark.one_database
def test_everybody_reads_the_docs_and_their_pictures():
    client = Client()

    release = client.get(reverse("help", args=["release"]))
    decision = client.get(reverse("help", args=["adr/0003-stored-zip"]))
    picture = client.get(reverse("help-picture", args=["judging-light"]))

    assert "<h1>Releases</h1>" in release.text
    assert '<a href="#checks-before-a-release">Checks before a release</a>' in release.text
    assert "not run:" not in release.text
    assert decision.status_code == 200
    assert (picture.status_code, picture["Content-Type"]) == (200, "image/png")


@pytest.mark.django_db
@pytest.mark.one_database
def test_a_reader_without_an_account_costs_the_database_nothing(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert Client().get(reverse("help", args=["pooling"])).status_code == 200


@pytest.mark.django_db
@pytest.mark.one_database
def test_the_first_page_lists_the_others_by_stage():
    page = Client().get(reverse("help-index")).text

    assert "<h2>Evaluate systems</h2>" in page
    assert f'<a href="{reverse("help", args=["pool_bias"])}">' in page


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["nothing", "../README", "adr/../../README", "index.md"])
def test_what_is_no_page_of_the_docs_is_not_found(page):
    assert Client().get(f"{ADDRESS}{page}/").status_code == 404


def test_the_help_of_a_page_is_its_page_and_of_another_the_first():
    assert help_url("releases") == "/help/release/#checks-before-a-release"
    assert help_url("nothing") == help_url("home") == "/help/"


def test_a_template_asks_for_the_help_of_the_page_that_it_is_on():
    request = RequestFactory().get("/c/small/pool-bias/")
    request.resolver_match = ResolverMatch(print, (), {}, "pool-bias")

    template = Template("{% load help_links %}{% help_url %}")

    assert template.render(Context({"request": request})) == "/help/pool_bias/"
