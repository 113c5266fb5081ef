"""A question to the admin in a real browser: kept while the server is away, and answered."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from accounts.models import User
from adjudication.models import Decision
from annotation.models import HelpRequest
from tests.support.factories import a_collection, an_open_query
from tests.support.help_scenes import answer
from tests.support.judging_page import assert_accessible, expect_pair, log_in, read_and_press
from tests.support.sittings import grades_in, judge_both, pair_url, slots_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]


def test_a_judge_asks_offline_judges_on_and_reads_the_answer(page, context, live_server):
    opening = an_open_query(a_collection(), size=3)
    first, second, _ = slots_of(opening, "ann1")
    log_in(context, live_server, User.objects.get(username="ann1"))
    with page.expect_response("**/ahead/**"):
        page.goto(live_server.url + pair_url(first))
    context.set_offline(True)

    read_and_press(page, "a")
    page.keyboard.type("Is 2 a method?")  # no grade while the question is written
    page.get_by_role("button", name="Ask the admin").click()
    expect(page.locator("#pair .asked-admin")).to_be_visible()
    expect(page.locator("#trouble")).to_contain_text("1 question is not saved yet")
    page.keyboard.press("2")
    expect_pair(page, second)
    context.set_offline(False)
    expect(page.locator("#saved")).to_have_text("Saved")

    request = HelpRequest.objects.get()
    assert (request.text, request.pair) == ("Is 2 a method?", first.pair)
    assert grades_in(opening, "ann1") == [2]
    answer(request, "Yes, **if** it compares.")
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(live_server.url + pair_url(first))
    expect(page.locator(".help-answer strong")).to_have_text("if")
    page.locator("#ask-admin summary").click()
    assert_accessible(page)


def test_an_adjudicator_asks_with_a_key_and_reads_the_answer_above_the_case(
    page, context, live_server
):
    opening = an_open_query(a_collection(), size=3)
    slot = judge_both(opening, (0, 3), (1, 1))[0]
    log_in(context, live_server, User.objects.get(username="adju"))
    page.goto(live_server.url + pair_url(slot, "case"))

    page.keyboard.press("h")
    page.keyboard.type("Is 2 a method?")  # no decision while the question is written
    page.get_by_role("button", name="Ask the admin").click()
    expect(page.locator(".help-answer")).to_contain_text("You asked the admin")

    request = HelpRequest.objects.get()
    assert (request.text, request.pair, request.from_case) == ("Is 2 a method?", slot.pair, True)
    answer(request, "Yes, **if** it compares.")
    page.set_viewport_size({"width": 390, "height": 800})
    page.reload()
    expect(page.locator(".help-answer strong")).to_have_text("if")
    page.locator("#ask-admin summary").click()
    assert_accessible(page)
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    expect(page.locator("#done, main")).to_contain_text("Decided")
    assert Decision.objects.get().grade == 2
