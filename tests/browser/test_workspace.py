"""The judging page in a real browser: what only a browser can break."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation import openings
from annotation.models import Judgment, Slot
from tests import builders

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def url(query):
    return reverse("workspace", args=[query.collection.slug, query.pk])


def title(page) -> str:
    return page.locator("#pair h3").inner_text()


def until(page, condition) -> None:
    for _ in range(500):
        if condition():
            return
        page.wait_for_timeout(20)
    raise AssertionError("It did not happen within ten seconds.")


def unsent(page) -> int:
    names = page.evaluate("Object.keys(localStorage)")
    return sum(name.startswith("qrelsmith:outbox") for name in names)


def saved(page, number: int) -> None:
    """Wait until nothing is unsaved here, then look into the database."""
    until(page, lambda: not unsent(page))
    assert Judgment.objects.count() == number


def own_order(username: str) -> list[str]:
    slots = Slot.objects.filter(judge__username=username).in_order().select_related("pair__document")
    return [slot.pair.document.title for slot in slots]


def test_a_day_by_keyboard(page_of, url, query):
    page, order = page_of("ann", url), own_order("ann")
    page.wait_for_load_state("networkidle")
    seen = []
    for key in "01232":
        seen.append(title(page))
        page.keyboard.press(key)
    assert seen == order[:5]
    page.keyboard.press("u")
    assert title(page) == order[4]
    expect(page.locator("[data-key='2']")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("3")
    assert title(page) == order[5]
    page.keyboard.press("l")
    assert title(page) == order[6]
    page.keyboard.press("n")
    page.keyboard.type("About 3 of it.")  # a digit in a note is no grade
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    page.keyboard.press("c")
    page.locator("#cannot-form").get_by_text("Another reason").click()
    page.locator("#cannot-note").fill("In Latin.")
    page.locator("#cannot-form button").click()
    expect(page.locator("#pair h3")).to_have_text(order[5])  # put off, so it comes last
    page.keyboard.press("0")
    expect(page.locator("#pair")).to_contain_text("is done")
    saved(page, 9)
    latest = Slot.objects.filter(judge__username="ann").order_by("position").values_list("judgment__grade", flat=True)
    assert list(latest) == [0, 1, 2, 3, 3, 0, 1, None]
    assert set(Judgment.objects.exclude(note="").values_list("note", flat=True)) == {"About 3 of it.", "In Latin."}
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/judge/$"))


def test_what_is_put_off_while_more_is_asked_for_comes_again(page_of, url):
    page, held, answered = page_of("ann", url), [], 0
    page.wait_for_load_state("networkidle")
    page.route("**/pairs/*", lambda route: held.append(route), times=1)
    while not held:  # not at once where a request from before is under way
        page.keyboard.press("0")
        answered += 1
        page.wait_for_timeout(100)
    put_off = title(page)
    page.keyboard.press("l")
    for _ in range(7 - answered):
        page.keyboard.press("0")
    held[0].continue_()
    expect(page.locator("#pair h3")).to_have_text(put_off)
    page.keyboard.press("1")
    expect(page.locator("#pair")).to_contain_text("is done")
    saved(page, 8)


def test_the_next_pair_needs_no_request(page_of, url):
    page = page_of("ann", url)
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    shown = []
    for key in "0123":
        shown.append(title(page))
        page.keyboard.press(key)
    assert len(set(shown)) == 4
    expect(page.locator("#trouble")).to_contain_text("kept on this computer")
    assert Judgment.objects.count() == 0
    page.context.set_offline(False)
    saved(page, 4)


NO_STORAGE = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('', 'SecurityError') } })"
FULL = "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError') }"


@pytest.mark.parametrize("trouble", [NO_STORAGE, FULL])
def test_judging_works_where_the_browser_stores_nothing(page_of, url, trouble):
    page = page_of("ann", "/")
    page.context.add_init_script(trouble)
    page.goto(url)
    page.wait_for_load_state("networkidle")
    for key in "g2g1":
        page.keyboard.press(key)
    until(page, lambda: Judgment.objects.count() == 2)
    expect(page.locator("#saved")).to_have_text("saved")


def test_a_refusal_is_shown_once_where_the_storage_is_full(page_of, url, query, people):
    """Not sent again and again because the refusal found no room."""
    page, sent = page_of("ann", url), []
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    page.keyboard.press("2")
    expect(page.locator("#saved")).to_have_text("1 unsaved")
    page.evaluate(f"() => {{ {FULL} }}")
    openings.hand_over(query=query, giver=people.ann, taker=builders.person("eva", query.collection, "annotator"))
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.context.set_offline(False)
    expect(page.locator("#trouble")).to_contain_text("Not saved")
    page.wait_for_timeout(300)
    assert len(sent) <= 2


def test_a_closed_tab_loses_nothing(page_of, url, query):
    page = page_of("ann", url)
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    page.keyboard.press("2")
    page.keyboard.press("1")
    expect(page.locator("#saved")).to_have_text("2 unsaved")
    page.context.set_offline(False)
    page.goto(reverse("guideline", args=[query.collection.slug]))  # any other page sends them
    saved(page, 2)


def test_after_the_session_ends_what_was_judged_is_sent_at_the_next_login(page_of, url):
    page = page_of("ann", url)
    page.wait_for_load_state("networkidle")
    page.context.clear_cookies()
    page.keyboard.press("2")
    expect(page.locator("#trouble")).to_contain_text("You are logged out")
    assert Judgment.objects.count() == 0
    again = page_of("ann", url)
    page.context.add_cookies(again.context.cookies())
    page.evaluate("dispatchEvent(new Event('focus'))")
    saved(page, 1)


def test_what_the_server_refuses_is_shown_with_its_reason(page_of, url, query):
    page = page_of("ann", url)
    page.wait_for_load_state("networkidle")
    first = Slot.objects.filter(judge__username="ann").in_order().select_related("pair__document").first()
    builders.judge(first.pair, first.judge, 3)  # in another window
    page.keyboard.press("1")
    expect(page.locator("#trouble")).to_contain_text("another window")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-key='3']")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("1")
    until(page, lambda: not unsent(page))
    first.refresh_from_db()
    assert first.judgment.grade == 1


def test_a_reload_shows_the_same_pair(page_of, url):
    page = page_of("ann", url)
    page.wait_for_load_state("networkidle")
    page.keyboard.press("1")
    page.keyboard.press("2")
    before = title(page)
    until(page, lambda: not unsent(page))
    page.reload()
    assert title(page) == before


def test_keys_pressed_before_the_next_pair_is_here_judge_nothing_unseen(page_of, collection, papers, people):
    """The page has twenty pairs ahead; here the server is slow to send more."""
    more = [builders.document(collection, f"e{number:02}") for number in range(24)]
    query = builders.query(collection, papers[0])
    builders.opened(query, more, people.ann, people.bob)
    page = page_of("ann", reverse("work", args=[collection.slug]))
    held = []
    page.route("**/pairs/*", lambda route: held.append(route), times=1)
    page.goto(reverse("workspace", args=[collection.slug, query.pk]))
    for number in range(26):
        page.keyboard.press(str(number % 4))
    until(page, lambda: len(held) == 1)
    assert title(page) == own_order("ann")[20]
    held.pop().continue_()
    until(page, lambda: title(page) == own_order("ann")[21])
    saved(page, 21)


@pytest.mark.parametrize("size", [{"width": 1366, "height": 768}, {"width": 390, "height": 844}])
def test_the_facets_sentences_are_in_view_and_nothing_is_cut(page_of, collection, people, size):
    long = [f"Sentence {number} of many words that fill a line and then another one." for number in range(40)]
    labels = ["background"] * 30 + ["method"] * 3 + ["result"] * 7
    paper = builders.document(collection, "long", sentences=long, labels=labels)
    others = [builders.document(collection, f"l{n}", sentences=long, labels=labels) for n in range(3)]
    query = builders.query(collection, paper)
    builders.opened(query, others, people.ann, people.bob)
    page = page_of("ann", reverse("workspace", args=[collection.slug, query.pk]), viewport=size)
    for _ in range(2):
        page.wait_for_timeout(200)
        for pane in ("#query", "#pair"):
            box, marked = page.locator(pane).bounding_box(), page.locator(f"{pane} p.in-facet").first.bounding_box()
            assert box["y"] <= marked["y"] < box["y"] + box["height"]
        page.keyboard.press("1")
    for locator in page.locator(".dock button:visible").all():
        box = locator.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size["width"]
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")


def test_a_phone_shows_all_of_a_panel_and_closes_the_guideline_again(page_of, url):
    page = page_of("ann", url, viewport={"width": 390, "height": 700}, has_touch=True)
    page.locator("#cannot summary").tap()
    box = page.locator("#cannot .panel").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.locator("#cannot summary").tap()
    page.locator("#show-guideline").tap()
    expect(page.locator("#guideline")).to_be_visible()
    expect(page.locator("#answer .grade-key").first).not_to_be_visible()
    page.locator("#show-guideline").tap()
    expect(page.locator("#guideline")).not_to_be_visible()
    expect(page.locator("#answer .grade-key").first).to_be_visible()
