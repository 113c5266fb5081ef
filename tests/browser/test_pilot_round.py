"""A pilot round in a real browser: by keyboard alone, offline, and as the admin sees it."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from accounts.models import User
from practice.models import PracticeJudgment
from tests.support.factories import a_collection
from tests.support.judging_page import (
    assert_accessible,
    eventually,
    log_in,
    log_out,
    read_and_press,
)
from tests.support.practice_scenes import a_pilot, practise

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]


def test_a_round_is_judged_by_keyboard_and_followed_by_the_admin(page, context, live_server):
    pilot = a_pilot(a_collection())
    first, second = (User.objects.get(username=name) for name in ("ann1", "ann2"))
    for pair in pilot.pairs.all():
        practise(pair, second, 0)
    log_in(context, live_server, first)
    page.goto(live_server.url + reverse("judge", args=["small"]))
    assert_accessible(page)
    page.get_by_role("link", name="Start with Pilot round 1").focus()
    page.keyboard.press("Enter")
    expect(page.locator("header").get_by_text("Pilot round 1").first).to_be_visible()
    assert_accessible(page)

    read_and_press(page, "3")
    expect(page.locator("#judged")).to_have_text("1")
    read_and_press(page, "l")  # nothing can be put off
    context.set_offline(True)
    read_and_press(page, "1")
    expect(page.get_by_text("1 judgment is not saved yet")).to_be_visible()
    context.set_offline(False)
    expect(page.locator("#saved")).to_have_text("Saved")
    read_and_press(page, "u")
    expect(page.get_by_text("You said 1 Related")).to_be_visible()
    read_and_press(page, "2")
    read_and_press(page, "0")
    expect(page.get_by_role("heading", name="All 3 pairs are judged")).to_be_visible()
    assert_accessible(page)
    own = PracticeJudgment.objects.filter(annotator=first)
    eventually(page, lambda: own.count() == 4)
    assert sorted(own.counting().values_list("grade", flat=True)) == [0, 2, 3]
    assert own.first().seconds >= 0.3

    log_out(context)
    log_in(context, live_server, User.objects.get(username="admin"))
    page.goto(live_server.url + reverse("pilot", args=["small", 1]))
    expect(page.get_by_role("heading", name="Pairs that differ most")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("link", name="Prepare the meeting").click()
    expect(page.get_by_role("heading", name="Meeting about pilot round 1")).to_be_visible()
    assert_accessible(page)


def test_the_page_of_an_open_round_shows_new_judgments_by_itself(page, context, live_server):
    pilot = a_pilot(a_collection())
    log_in(context, live_server, User.objects.get(username="admin"))
    page.clock.install()
    page.goto(live_server.url + reverse("pilot", args=["small", 1]))
    expect(page.get_by_text("0 of 3 pairs").first).to_be_visible()

    practise(pilot.pairs.first(), User.objects.get(username="ann1"), 2)
    page.clock.run_for(11_000)

    expect(page.get_by_text("1 of 3 pairs")).to_be_visible()
