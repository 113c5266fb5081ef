"""Training by the keyboard alone: from Judge through a set to the first live pair."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import User
from annotation.services import open_query
from practice.models import PracticeSet, TrainingResult
from tests.support.factories import a_query
from tests.support.judging_page import assert_accessible, log_in, read_and_press, shown
from tests.support.training_scenes import a_trainee, a_training_set, pairs_of, with_gold

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]
PAIRS = 5


@pytest.fixture
def practice_set(transactional_db) -> PracticeSet:
    """Tia must qualify; a query waits for her."""
    collection = with_gold().query.collection
    collection.qualifying_rho = 0.5
    collection.save(update_fields=["qualifying_rho"])
    tia = a_trainee(collection)
    ann1 = User.objects.get(username="ann1")
    open_query(query=a_query(collection), annotators=(tia, ann1), opened_by=None)
    return a_training_set(collection, pairs=PAIRS)


def press_on(page: Page, name: str) -> None:
    """Go to the link or button with the Tab key, and press Enter."""
    for _ in range(80):
        page.keyboard.press("Tab")
        focused = page.evaluate("document.activeElement.textContent.replace(/\\s+/g, ' ').trim()")
        if re.match(name, focused):
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"no {name} was reached with the Tab key")


def test_a_set_is_judged_and_passed_by_the_keyboard_alone(page, context, live_server, practice_set):
    gold = {pair.token: pair.gold for pair in pairs_of(practice_set)}
    log_in(context, live_server, User.objects.get(username="tia"))
    page.goto(live_server.url + reverse("judge", args=["small"]))
    expect(page.get_by_role("heading", name="Qualify before you judge")).to_be_visible()
    assert_accessible(page)
    press_on(page, "Go to the training")
    expect(page.get_by_role("heading", name="Training", exact=True)).to_be_visible()
    assert_accessible(page)
    press_on(page, "Begin training set 1")
    expect(page.get_by_text("This is practice.")).to_be_visible()
    press_on(page, "Start judging")
    expect(page.locator("#judged")).to_have_text("0")

    for number in range(1, PAIRS + 1):
        read_and_press(page, str(gold[shown(page)]))
        if number < PAIRS:
            expect(page.locator("#judged")).to_have_text(str(number))

    expect(page.get_by_text("Passed: ρ is 1.00, and 0.5 is needed.")).to_be_visible()
    assert_accessible(page)
    assert TrainingResult.objects.get().passed
    press_on(page, "Go to your queries")
    page.wait_for_url(live_server.url + reverse("judge", args=["small"]))
    press_on(page, "Start judging")
    expect(page.locator("#judged")).to_have_text("0")
