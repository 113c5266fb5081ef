"""Cases that are graded before the judgments are shown, and claims, in a real browser."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from accounts.models import Role
from adjudication.claims.services import claim_pair
from adjudication.models import BlindRating, Claim, Decision
from annotation.services import Answer
from tests.support.factories import a_collection, an_open_query, member
from tests.support.judging_page import (
    assert_accessible,
    eventually,
    log_in,
    read_and_press,
)
from tests.support.sittings import judge_both, pair_url, query_url, settle, with_rules

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]


@pytest.fixture
def opening():
    collection = with_rules(a_collection(), grades_blind_first=True, spot_check_share=1.0)
    return an_open_query(collection, size=4)


@pytest.fixture
def judged(opening):
    return judge_both(opening, (Answer(grade=0, note="A remark"), 3), (2, 2))


@pytest.fixture
def case(judged):
    return judged[0]


@pytest.fixture
def waiting(judged):
    """The case and the spot check, in the order in which they come."""
    return sorted(judged, key=lambda slot: slot.pair.token)


@pytest.fixture
def adjudicator(opening):
    return member(opening.query.collection, Role.ADJUDICATOR, "adju")


@pytest.fixture
def colleague(opening):
    return member(opening.query.collection, Role.ADJUDICATOR, "adju2")


@pytest.fixture
def page(page, context, live_server, adjudicator, waiting):
    log_in(context, live_server, adjudicator)
    page.goto(live_server.url + reverse("adjudicate", args=["small"]))
    return page


def expect_case(page, slot):
    page.wait_for_url(lambda url: urlsplit(url).path == pair_url(slot, "case"))


def test_cases_and_spot_checks_are_done_by_keyboard_alone(page, waiting, case):
    page.get_by_role("button", name="Start with 2 cases").focus()
    page.keyboard.press("Enter")
    for slot in waiting:
        expect_case(page, slot)
        expect(page.locator("#blind")).to_be_visible()
        expect(page.get_by_text("A remark")).to_have_count(0)
        read_and_press(page, "n")
        page.keyboard.type("My own reason")
        page.keyboard.press("Escape")
        page.keyboard.press("2")
        if slot is case:
            expect(page.locator("#blind-grade")).to_contain_text("you said 2")
            expect(page.get_by_text("A remark")).to_be_visible()
            expect(page.locator("#note textarea")).to_have_value("My own reason")
            read_and_press(page, "3")

    expect(page.get_by_role("heading", name="Every case is decided")).to_be_visible()
    assert sorted(BlindRating.objects.values_list("is_spot_check", "grade", "note")) == [
        (False, 2, "My own reason"),
        (True, 2, "My own reason"),
    ]
    decision = Decision.objects.get()
    assert (decision.grade, decision.note) == (3, "My own reason")
    assert decision.seconds > 0
    assert all(rating.seconds > 0 for rating in BlindRating.objects.all())


def test_everything_works_without_scripts(browser, live_server, adjudicator, waiting, case):
    context = browser.new_context(java_script_enabled=False)
    log_in(context, live_server, adjudicator)
    page = context.new_page()
    page.goto(live_server.url + reverse("adjudicate", args=["small"]))
    page.get_by_role("button", name="Start with 2 cases").click()
    for slot in waiting:
        expect_case(page, slot)
        assert Claim.objects.get().pair_id == slot.pair_id
        page.get_by_role("button", name="1 Related").click()
        if slot is case:
            expect(page.locator("#blind-grade")).to_contain_text("you said 1")
            page.get_by_role("button", name="Accept A").click()

    expect(page.get_by_role("heading", name="Every case is decided")).to_be_visible()
    assert BlindRating.objects.count() == 2
    assert Decision.objects.count() == 1
    context.close()


def test_a_script_claims_the_case_of_a_link_and_renews_it(
    page, live_server, case, adjudicator, colleague
):
    page.clock.install()
    page.goto(live_server.url + pair_url(case, "case"))
    eventually(page, lambda: Claim.objects.filter(adjudicator=adjudicator).exists())
    expect(page.get_by_role("button", name="Claim this case")).to_have_count(0)

    soon = timezone.now() + timedelta(minutes=1)
    Claim.objects.update(expires_at=soon)
    page.clock.run_for(4 * 60_000)
    page.mouse.move(50, 50)
    eventually(page, lambda: Claim.objects.get().expires_at > soon)


def test_a_note_stays_readable_when_another_took_and_decided_the_case(
    page, live_server, opening, case, colleague
):
    with_rules(opening.query.collection, grades_blind_first=False)
    page.goto(live_server.url + pair_url(case, "case"))
    eventually(page, lambda: Claim.objects.exists())
    read_and_press(page, "n")
    page.keyboard.type("Long thought")
    page.keyboard.press("Escape")
    Claim.objects.all().delete()
    claim_pair(pair_id=case.pair_id, adjudicator=colleague)
    page.keyboard.press("2")

    trouble = page.locator("#trouble .notice")
    expect(trouble).to_contain_text("Another adjudicator has this pair open")
    expect(trouble).to_contain_text("Your note was: Long thought")
    settle(case, colleague, 1)
    read_and_press(page, "2")
    expect(page.locator("#trouble")).to_contain_text("Another adjudicator decided this pair first")
    expect(page.locator("#trouble")).to_contain_text("Your note was: Long thought")
    assert Decision.objects.get().adjudicator == colleague


def test_a_note_on_a_case_that_another_took_is_shown_in_the_list(
    page, live_server, case, colleague
):
    page.goto(live_server.url + pair_url(case, "case"))
    eventually(page, lambda: Claim.objects.exists())
    read_and_press(page, "n")
    page.keyboard.type("Long thought")
    Claim.objects.all().delete()
    claim_pair(pair_id=case.pair_id, adjudicator=colleague)
    page.goto(live_server.url + pair_url(case, "case"))

    expect(page.get_by_text("Another adjudicator has this case open.")).to_be_visible()
    expect(page.locator("#unsaved")).to_contain_text("Long thought")
    page.get_by_role("button", name="Discard the note").click()
    expect(page.locator("#unsaved")).not_to_contain_text("Long thought")


def test_an_answer_after_the_claim_has_expired_is_saved(page, live_server, case, adjudicator):
    page.goto(live_server.url + pair_url(case, "case"))
    eventually(page, lambda: Claim.objects.exists())
    past = timezone.now() - timedelta(hours=1)
    Claim.objects.update(claimed_at=past - timedelta(minutes=15), expires_at=past)
    read_and_press(page, "2")

    expect(page.locator("#blind-grade")).to_contain_text("you said 2")


@pytest.mark.parametrize(("width", "theme"), [(360, "dark"), (1440, "light")])
def test_no_page_has_accessibility_violations(
    new_context, live_server, opening, waiting, case, adjudicator, colleague, theme, width
):
    # Axe puts its own script into the page, which the policy forbids.
    context = new_context(
        bypass_csp=True, color_scheme=theme, viewport={"width": width, "height": 800}
    )
    log_in(context, live_server, adjudicator)
    page = context.new_page()
    page.goto(live_server.url + reverse("adjudicate", args=["small"]))
    assert_accessible(page)
    page.goto(live_server.url + pair_url(case, "case"))
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    read_and_press(page, "2")
    expect(page.locator("#blind-grade")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert_accessible(page)
    decided = page.url
    read_and_press(page, "1")
    eventually(page, lambda: Decision.objects.exists())
    page.wait_for_url(lambda address: address != decided)
    page.goto(live_server.url + query_url(opening, "adjudicate-decided"))
    assert_accessible(page)
    log_in(context, live_server, member(opening.query.collection, Role.ADMIN, "admin"))
    page.goto(live_server.url + reverse("blind-ratings", args=["small"]))
    assert_accessible(page)
