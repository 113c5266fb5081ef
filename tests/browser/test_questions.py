"""A question to judges in a real browser, by keyboard alone, and without scripts."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from accounts.models import User
from annotation.models import KeptAnswer, PairQuestion, Slot
from tests.support.factories import a_collection, an_open_query
from tests.support.judging_page import assert_accessible, log_in, read_and_press
from tests.support.sittings import ask, judge_both, pair_url

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]


@pytest.fixture
def opening():
    return an_open_query(a_collection(), size=3)


@pytest.fixture
def cases(opening):
    return judge_both(opening, (0, 3), (0, 2))


@pytest.fixture
def person(context, live_server):
    """Log in as this person, in place of the one before."""

    def log_in_as(username: str) -> None:
        context.clear_cookies()
        log_in(context, live_server, User.objects.get(username=username))

    return log_in_as


def expect_path(page, path):
    page.wait_for_url(lambda url: urlsplit(url).path == path)


def test_a_question_and_both_answers_by_keyboard(page, live_server, opening, cases, person):
    slug, slot = opening.query.collection.slug, cases[0]
    person("adju")
    page.goto(live_server.url + pair_url(slot, "case"))
    read_and_press(page, "q")
    page.keyboard.press("2")  # no decision while the question is written
    page.keyboard.press("ArrowDown")
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect_path(page, pair_url(cases[1], "case"))

    question = PairQuestion.objects.get()
    assert (question.wording, question.query_sentences) == ("guideline", [2])

    person("ann1")
    page.goto(f"{live_server.url}{reverse('judge', args=[slug])}")
    page.get_by_role("link", name="Look again").focus()
    page.keyboard.press("Enter")
    expect_path(page, pair_url(slot, "judge-question"))
    expect(page.locator("mark.in-question")).to_have_count(1)
    read_and_press(page, "2")
    expect_path(page, reverse("judge", args=[slug]))
    expect(page.get_by_text("look at again")).to_have_count(0)

    person("ann2")
    page.goto(live_server.url + pair_url(slot, "judge-question"))
    read_and_press(page, "k")
    expect_path(page, reverse("judge", args=[slug]))

    assert KeptAnswer.objects.count() == 1
    assert Slot.objects.get(pk=slot.pk).judgment.grade == 2
    person("adju")
    page.goto(live_server.url + pair_url(slot, "case"))
    expect(page.locator(".before")).to_have_count(2)


def test_without_scripts_a_judge_answers_too(browser, live_server, opening, cases):
    ask(cases[0], User.objects.get(username="adju"))
    context = browser.new_context(java_script_enabled=False)
    log_in(context, live_server, User.objects.get(username="ann1"))
    page = context.new_page()
    page.goto(live_server.url + pair_url(cases[0], "judge-question"))

    page.get_by_role("button", name="Keep").click()

    expect(page.get_by_text("Your answer is saved.")).to_be_visible()
    assert KeptAnswer.objects.get().judgment.annotator.username == "ann1"
    context.close()


@pytest.mark.parametrize(("width", "theme"), [(360, "dark"), (1440, "light")])
def test_the_pages_of_a_question_are_accessible(
    page, live_server, opening, cases, person, theme, width
):
    slug = opening.query.collection.slug
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 900})
    person("adju")
    page.goto(live_server.url + pair_url(cases[1], "case"))
    read_and_press(page, "q")
    assert_accessible(page)
    ask(cases[0], User.objects.get(username="adju"), candidate_sentences=[1])
    for username, path in (
        ("adju", reverse("case-questions", args=[slug])),
        ("ann1", reverse("judge", args=[slug])),
        ("ann1", pair_url(cases[0], "judge-question")),
    ):
        person(username)
        page.goto(live_server.url + path)
        assert_accessible(page)
