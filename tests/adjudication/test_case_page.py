"""The case page in a real browser: three keys in a row decide three cases, and none is lost."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from adjudication.models import Decision
from tests.builders import judge

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def case_url(query, pairs):
    return reverse("case-work", args=[query.collection.slug, query.pk])


def title(page) -> str:
    return page.locator("#pair h3").inner_text()


def decided() -> dict[str, int | None]:
    return {each.pair.document.docno: each.grade for each in Decision.objects.standing()}


def all_sent(page) -> None:
    expect(page.locator("#saved")).to_have_text("saved")  # it says "saving" as soon as a key is pressed


def test_cases_are_decided_by_keyboard(page_of, case_url, pairs):
    page = page_of("ada", case_url)
    assert title(page) == "On d04"  # ann could not judge it, bob said 2
    page.route("**/more/*", lambda route: route.abort())  # what comes next is in the page
    for key in ("2", "0"):
        page.keyboard.press(key)
    third = title(page)
    page.keyboard.press("2")  # neither said so: 1 and 3
    page.keyboard.type("b: both missed 3.")  # letters and digits of a note are no keys
    assert title(page) == third
    page.keyboard.press("Control+Enter")
    fourth = title(page)
    assert fourth not in ("On d04", "On d03", third)
    all_sent(page)
    docno = third.removeprefix("On ")
    assert decided() == {"d04": 2, "d03": 0, docno: 2}
    assert Decision.objects.get(pair=pairs[docno]).note == "b: both missed 3."

    page.keyboard.press("u")
    page.keyboard.press("u")
    assert title(page) == "On d03"
    expect(page.locator(".grade-key[data-key='0']")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("3")
    assert title(page) == third
    expect(page.locator("#note-text")).to_have_value("b: both missed 3.")
    page.keyboard.press("ArrowRight")
    assert title(page) == fourth
    page.keyboard.press("a")
    all_sent(page)
    assert decided()["d03"] == 3
    assert len(decided()) == 4
    assert Decision.objects.count() == 5


def test_set_aside_asks_why_and_the_end_leads_on(page_of, case_url, pairs):
    page = page_of("ada", case_url)
    page.keyboard.press("a")
    page.keyboard.press("x")
    expect(page.locator("#note-label")).to_contain_text("no grade")
    page.keyboard.press("Escape")
    expect(page.locator("#with-note")).to_be_hidden()
    page.keyboard.press("x")
    page.keyboard.type("The abstract is of another paper.")
    page.locator("#with-note").click()
    for _ in range(4):
        page.keyboard.press("b")
    expect(page.locator("#pair")).to_contain_text("is done")
    all_sent(page)
    assert len(decided()) == 6
    assert decided()["d03"] is None
    page.keyboard.press("u")
    expect(page.locator("#position")).to_contain_text("Looking back")
    page.locator("#decided summary").click()
    expect(page.locator("#anchors tbody tr")).to_have_count(6)
    page.keyboard.press("Escape")
    expect(page.locator("#pair")).to_contain_text("is done")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="All decided")).to_be_visible()


def test_a_case_opened_from_the_list_stays_on_the_screen(page_of, case_url, query, pairs):
    page = page_of("ada", case_url)
    page.keyboard.press("b")
    all_sent(page)
    page.goto(reverse("decisions", args=[query.collection.slug]))
    page.get_by_role("link", name="On d04").click()
    page.wait_for_load_state("networkidle")
    assert title(page) == "On d04"
    page.keyboard.press("ArrowRight")
    assert title(page) == "On d03"


def test_a_judgment_revised_meanwhile_is_shown_again(page_of, case_url, pairs, people):
    page = page_of("ada", case_url)
    page.wait_for_load_state("networkidle")
    judge(pairs["d04"], people.bob, 1)
    page.keyboard.press("2")
    expect(page.locator("#trouble")).to_contain_text("A judge changed")
    page.keyboard.press("ArrowLeft")
    assert title(page) == "On d04"
    expect(page.locator("#pair .sides")).to_contain_text("Related")
    page.get_by_role("button", name="Dismiss").click()
    page.keyboard.press("1")
    all_sent(page)
    assert decided() == {"d04": 1}


@pytest.mark.parametrize("size", [{"width": 1366, "height": 768}, {"width": 390, "height": 844}])
def test_the_facets_sentences_are_in_view_below_the_judgments(page_of, case_url, pairs, people, size):
    long = [f"Sentence {number} of many words that fill a line and then another one." for number in range(40)]
    document = pairs["d04"].document
    document.sentences, document.labels = long, ["background"] * 30 + ["method"] * 2 + ["result"] * 8
    document.save()
    judge(pairs["d04"], people.bob, 2, note="A long note. " * 40)
    page = page_of("ada", case_url, viewport=size)
    page.wait_for_load_state("networkidle")
    pane, sides = (page.locator(place).bounding_box() for place in ("#pair", "#pair .sides"))
    marked = page.locator("#pair p.in-facet").first.bounding_box()
    assert sides["y"] + sides["height"] <= marked["y"] < pane["y"] + pane["height"] - marked["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
