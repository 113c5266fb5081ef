"""The adjudicator's case in a real browser: keys, nothing typed is lost, no scripts."""

from urllib.parse import urlsplit

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from accounts.models import Role
from adjudication.models import Decision
from annotation.services import Answer
from tests.support.factories import a_collection, an_open_query, member
from tests.support.judging_page import (
    NOT_OURS,
    READING,
    answered_by_another,
    assert_accessible,
    block_storage,
    eventually,
    log_in,
    log_out,
    read_and_press,
    retry_now,
)
from tests.support.sittings import judge, judge_both, pair_url, query_url, settle

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]


@pytest.fixture
def opening():
    return an_open_query(a_collection(), size=4)


@pytest.fixture
def cases(opening):
    """Three cases in the order in which they come."""
    remark = "Both recognise individuals from photographs, one of them to count. " * 4
    return judge_both(opening, (Answer(grade=0, note=remark), 3), (2, 0), (1, 2))


@pytest.fixture
def adjudicator(opening):
    return member(opening.query.collection, Role.ADJUDICATOR, "adju")


@pytest.fixture
def page(page, context, live_server, opening, cases, adjudicator):
    log_in(context, live_server, adjudicator)
    page.goto(live_server.url + query_url(opening, "adjudicate-query"))
    return page


def expect_case(page, slot):
    page.wait_for_url(lambda url: urlsplit(url).path == pair_url(slot, "case"))


def test_a_key_decides_the_case_and_leads_to_the_next(page, cases):
    read_and_press(page, "1")

    expect_case(page, cases[1])
    assert Decision.objects.get().grade == 1
    message = "Decided as 1, related. This overrules both judges. Say why in a note"
    expect(page.locator(".last")).to_have_text(message)


def test_a_and_b_accept_a_judgment_and_the_end_sums_up(page, cases, live_server, opening):
    for slot, key in zip(cases, ("a", "b", "0"), strict=True):
        expect_case(page, slot)
        read_and_press(page, key)

    page.wait_for_url(live_server.url + query_url(opening, "adjudicate-decided"))
    expect(page.get_by_role("heading", name="All cases of this query are decided")).to_be_visible()
    expect(page.locator(".tally")).to_contain_text("3 of 3 cases")
    grades = {decision.pair_id: decision.grade for decision in Decision.objects.all()}
    assert grades[cases[0].pair_id] in {0, 3}
    assert grades[cases[1].pair_id] in {2, 0}


def test_a_press_meant_for_the_case_before_decides_nothing(page, cases):
    read_and_press(page, "1")
    page.keyboard.press("1")

    expect_case(page, cases[1])
    page.wait_for_timeout(400)
    assert Decision.objects.count() == 1


def test_a_note_is_typed_and_saved_without_the_mouse(page, cases):
    read_and_press(page, "n")
    page.keyboard.type("3 of 4 steps agree")
    page.keyboard.press("Escape")
    page.keyboard.press("2")

    expect_case(page, cases[1])
    assert Decision.objects.get().note == "3 of 4 steps agree"


def test_setting_aside_by_keyboard(page, cases):
    read_and_press(page, "c")
    page.keyboard.type("Two papers in one")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    expect_case(page, cases[1])
    assert Decision.objects.get().note == "Two papers in one"


def test_undo_leads_back_and_escape_returns(page, cases):
    read_and_press(page, "1")
    expect_case(page, cases[1])
    read_and_press(page, "u")
    expect_case(page, cases[0])
    expect(page.get_by_text("You decided this as 1")).to_be_visible()
    read_and_press(page, "Escape")
    expect_case(page, cases[1])


def test_offline_a_decision_is_kept_with_its_note_and_sent_when_the_server_is_back(
    page, context, cases
):
    read_and_press(page, "n")
    page.keyboard.type("Long thought")
    page.keyboard.press("Escape")
    context.set_offline(True)
    page.keyboard.press("2")
    expect(
        page.get_by_text("1 decision is not saved yet, but kept on this computer")
    ).to_be_visible()
    expect(page.locator("#saved")).to_have_text("1 unsaved")
    page.keyboard.press("3")
    expect(page.locator("#last")).to_contain_text("Your decision waits to be saved")
    context.set_offline(False)

    expect_case(page, cases[1])
    assert (Decision.objects.get().grade, Decision.objects.get().note) == (2, "Long thought")


def test_an_ended_login_keeps_the_decision(page, context, live_server, adjudicator, cases):
    log_out(context)
    read_and_press(page, "2")
    expect(page.get_by_text("You are logged out")).to_be_visible()
    log_in(context, live_server, adjudicator)

    expect_case(page, cases[1])
    assert Decision.objects.count() == 1


def test_a_decision_left_unsent_by_a_closed_tab_is_sent_from_the_list_of_cases(
    page, context, live_server, cases
):
    context.set_offline(True)
    read_and_press(page, "2")
    expect(page.locator("#saved")).to_have_text("1 unsaved")
    page.close()
    context.set_offline(False)
    again = context.new_page()
    again.goto(live_server.url + reverse("adjudicate", args=["small"]))

    eventually(again, lambda: Decision.objects.count() == 1)
    expect(again.get_by_text("2 due · 1 decided")).to_be_visible()


def test_only_an_answer_of_the_server_with_the_key_decides_a_decision(page, cases):
    """One decision through all of them: at the end it is saved once, as it was made."""
    read_and_press(page, "n")
    page.keyboard.type("Long thought")
    page.keyboard.press("Escape")
    # Between two of them a timer may send it: then the first one still answers.
    with answered_by_another(page, {"status": 502}):
        page.keyboard.press("2")
        expect(page.locator("#saved")).to_have_text("1 unsaved")
        for name, (answer, words) in NOT_OURS.items():
            with answered_by_another(page, answer):
                retry_now(page)
                expect(page.locator("#trouble"), name).to_contain_text(words)
                expect(page.locator("#saved"), name).to_have_text("1 unsaved")
            assert not Decision.objects.exists(), name
    retry_now(page)

    expect_case(page, cases[1])
    assert (Decision.objects.get().grade, Decision.objects.get().note) == (2, "Long thought")


def test_an_early_press_is_shown_as_ignored(page, cases):
    page.clock.install()
    page.reload()
    page.keyboard.press("1")
    expect(page.locator("#last")).to_have_text(
        "Press ignored: this case had only just appeared. Press again."
    )
    page.clock.run_for(READING)
    page.keyboard.press("1")

    expect_case(page, cases[1])
    assert Decision.objects.count() == 1


def test_another_tab_that_settled_the_case_is_not_overwritten(page, context, live_server, cases):
    old = context.new_page()
    old.goto(page.url)
    read_and_press(page, "1")
    expect_case(page, cases[1])
    read_and_press(old, "3")

    notice = old.locator("#trouble .notice")
    expect(notice).to_contain_text("Not saved: 3 for")
    expect(notice).to_contain_text("You decided this case in another window")
    notice.get_by_role("link", name="See both judgments as they are").click()
    expect(old.get_by_text("You decided this as 1")).to_be_visible()
    read_and_press(old, "3")
    expect_case(old, cases[1])
    assert list(Decision.objects.values_list("grade", flat=True)) == [1, 3]


def test_a_page_from_the_back_forward_cache_shows_the_case_as_it_is(page, cases, adjudicator):
    settle(cases[0], adjudicator, 1)
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")

    expect(page.get_by_text("You decided this as 1")).to_be_visible()


def test_where_storage_is_blocked_it_is_said_and_plain_forms_settle(
    browser, live_server, adjudicator, opening, cases
):
    context = browser.new_context()
    block_storage(context)
    log_in(context, live_server, adjudicator)
    page = context.new_page()
    page.goto(live_server.url + query_url(opening, "adjudicate-query"))
    expect(page.locator("#trouble")).to_contain_text("This browser blocks storage")
    read_and_press(page, "1")

    expect_case(page, cases[1])
    assert Decision.objects.get().grade == 1
    context.close()


def test_a_judgment_revised_meanwhile_is_shown_anew_and_the_note_stays(page, cases):
    read_and_press(page, "n")
    page.keyboard.type("Long thought")
    page.keyboard.press("Escape")
    judge(cases[0], 1)
    page.keyboard.press("2")
    page.get_by_role("link", name="See both judgments as they are").click()

    expect(page.get_by_role("group", name="Judgment").filter(has_text="Related")).to_have_count(1)
    expect(page.locator("#note textarea")).to_have_value("Long thought")
    assert not Decision.objects.exists()


def test_everything_works_without_scripts(browser, live_server, adjudicator, opening, cases):
    context = browser.new_context(java_script_enabled=False)
    log_in(context, live_server, adjudicator)
    page = context.new_page()
    page.goto(live_server.url + reverse("adjudicate", args=["small"]))
    page.get_by_role("button", name="Start with 3 cases").click()
    page.get_by_role("button", name="1 Related").click()
    expect_case(page, cases[1])
    page.get_by_role("link", name="Undo").click()
    expect_case(page, cases[0])
    page.get_by_role("button", name="2 Similar").click()
    expect_case(page, cases[1])
    page.get_by_role("button", name="Accept A").click()
    expect_case(page, cases[2])
    page.locator("#cannot summary").click()
    page.get_by_label("Why can you not judge this pair?").fill("Two papers in one")
    page.get_by_role("button", name="Set the pair aside").click()

    expect(page.get_by_role("heading", name="Every case is decided")).to_be_visible()
    assert Decision.objects.count() == 4
    context.close()


def test_both_judgments_and_the_grades_are_in_reach_and_cover_nothing(page):
    for width in (360, 768, 1440):
        page.set_viewport_size({"width": width, "height": 700})
        page.wait_for_timeout(200)
        page.evaluate("scrollTo(0, 0)")
        for grade in "0123":
            box = page.locator(f'#answer [data-key="{grade}"]').bounding_box()
            assert box["y"] + box["height"] <= 700
            assert box["x"] + box["width"] <= width
        judgments = page.locator(".cards").bounding_box()
        assert 350 < judgments["y"] < judgments["y"] + judgments["height"] <= box["y"]
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        last = page.locator(".pair .paper p").last.bounding_box()

        assert last["y"] + last["height"] <= page.locator(".cards").bounding_box()["y"]
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("width", "theme"), [(360, "dark"), (1440, "light")])
def test_no_page_has_accessibility_violations(
    new_context, live_server, opening, cases, adjudicator, theme, width
):
    # Axe puts its own script into the page, which the policy forbids.
    context = new_context(
        bypass_csp=True, color_scheme=theme, viewport={"width": width, "height": 800}
    )
    log_in(context, live_server, adjudicator)
    page = context.new_page()
    page.goto(live_server.url + reverse("adjudicate", args=["small"]))
    assert_accessible(page)
    page.goto(live_server.url + query_url(opening, "adjudicate-query"))
    assert_accessible(page)
    read_and_press(page, "2")
    expect_case(page, cases[1])
    assert_accessible(page)
    read_and_press(page, "u")
    expect_case(page, cases[0])
    read_and_press(page, "c")
    assert_accessible(page)
    page.goto(live_server.url + query_url(opening, "adjudicate-decided"))
    assert_accessible(page)


def test_a_grade_right_after_the_list_of_keys_is_not_lost(page, cases):
    """Without the list, a press in the first moments of a case counts as one of the case before."""
    page.reload()
    page.keyboard.press("?")
    page.keyboard.press("Escape")
    page.keyboard.press("1")

    expect_case(page, cases[1])
