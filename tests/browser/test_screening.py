"""From a corpus to queries by keyboard alone, and each page as a browser shows it."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from playwright.sync_api import expect

from corpus.models import Sample, Screening
from tests.browser.test_pages import RULES, SIZES

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def check(page) -> None:
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        assert [each["id"] for each in Axe().run(page, options=RULES).response["violations"]] == []
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size({"width": 1366, "height": 768})


def focus(page, locator) -> None:
    """Tab until it has the focus."""
    for _ in range(60):
        if locator.evaluate("each => each === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("Tab does not lead there.")


def test_query_papers_are_chosen_by_keyboard_alone(page_of, collection, papers):
    page = page_of("admin", reverse("add-queries", args=[collection.slug]))
    focus(page, page.get_by_role("link", name="Choose query papers"))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/sample/$"))
    focus(page, page.get_by_label("Papers of each period"))
    page.keyboard.type("1")
    page.keyboard.press("Tab")
    expect(page.locator("#periods tfoot")).to_contain_text("3")  # three periods of 2000 to 2011
    check(page)
    focus(page, page.get_by_role("button", name="Draw sample"))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/screen/\d+/$"))
    check(page)

    first, *_ = order = [papers[int(docno[1:])] for docno in Sample.objects.get().docnos]

    def shows(paper):
        expect(page.locator(".paper h3")).to_have_text(paper.title)
        page.wait_for_load_state("domcontentloaded")  # the keys work from then on

    shows(order[0])
    page.keyboard.press("4")  # no type yet, so nothing is rated
    for key in ("t", "4", "2", "Backspace", "5"):
        page.keyboard.press(key)
    expect(page.locator("p.in-facet")).to_contain_text(f"What {first.docno} found.")
    page.keyboard.press("1")
    shows(order[1])
    page.keyboard.press("s")
    shows(order[2])
    page.keyboard.press("u")
    shows(order[1])
    for key in "r235":
        page.keyboard.press(key)
    shows(order[2])
    for key in "d333":
        page.keyboard.press(key)
    page.wait_for_url(re.compile("/choose/$"))
    said = {each.document_id: (each.kind, [*each.ratings.values()]) for each in Screening.objects.all()}
    assert said == {
        order[0].pk: ("theoretical", [4, 5, 1]),
        order[1].pk: ("resources/evaluation", [2, 3, 5]),
        order[2].pk: ("data-driven approach", [3, 3, 3]),
    }

    focus(page, page.get_by_label(f"{first.docno} method"))
    page.keyboard.press("Space")
    expect(page.locator("#counts p")).to_contain_text("1 query from 1 paper")
    focus(page, page.get_by_label("Queries in all"))
    page.keyboard.type("6")
    page.keyboard.press("Enter")  # suggests
    expect(page.locator("#counts p")).to_contain_text("6 queries from 3 papers", timeout=30_000)
    check(page)
    focus(page, page.get_by_role("button", name="Add as queries"))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/queries/$"))
    assert collection.queries.count() == 6
