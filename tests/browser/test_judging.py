"""The judging workspace in a real browser: instant, nothing lost, keys, phones, no scripts."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Judgment
from annotation.services import Answer
from tests.support.judging_page import (
    READING,
    WORKSPACE_FIXTURES,
    assert_accessible,
    eventually,
    expect_pair,
    log_in,
    log_out,
    press_after,
    read_and_press,
    shown,
)
from tests.support.sittings import grades_in, judge, pair_url, query_url, slots_of, tells

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(2),
]

PAIR_POST = "**/judge/*_method/*/"


size, opening, slots, annotator, start, page = WORKSPACE_FIXTURES


def saved(page, opening, *grades):
    eventually(page, lambda: sorted(grades_in(opening, "ann1")) == sorted(grades))


# Instant


def test_a_key_grades_and_the_next_pair_is_there_at_once(page, opening, slots):
    read_and_press(page, "2")

    # No waiting here: the next pair is on the screen when the key comes up.
    assert shown(page) == slots[1].pair.token
    expect(page.locator("#judged")).to_have_text("1")
    saved(page, opening, 2)
    assert Judgment.objects.get().seconds >= 0.3


def test_the_next_pair_does_not_wait_for_the_server(page, opening, slots):
    waiting = []
    page.route(PAIR_POST, lambda route: route.continue_() if waiting else waiting.append(route))
    read_and_press(page, "2", "1", "0")

    assert shown(page) == slots[3].pair.token
    expect(page.locator("#saved")).to_have_text("Saving")
    assert grades_in(opening, "ann1") == []
    waiting[0].continue_()
    saved(page, opening, 2, 1, 0)


def test_a_whole_query_by_keyboard_ends_on_its_own_page(page, opening, live_server):
    read_and_press(page, *"012301230")

    page.wait_for_url(live_server.url + query_url(opening, "judge-mine"))
    expect(page.locator("h1")).to_have_text("All 9 pairs are judged")
    assert grades_in(opening, "ann1") == [0, 1, 2, 3, 0, 1, 2, 3, 0]


def test_the_grade_buttons_do_what_the_keys_do(page, opening, slots):
    page.wait_for_timeout(350)
    page.get_by_role("button", name="3 Near identical").click()

    expect_pair(page, slots[1])
    saved(page, opening, 3)


# Keys


def test_a_second_press_does_not_grade_an_unread_pair(start, slots):
    page = start(stopped=True)
    press_after(page, READING, "2")
    expect_pair(page, slots[1])
    press_after(page, 100, "2")

    page.clock.run_for(100)
    assert shown(page) == slots[1].pair.token


def test_a_held_key_grades_once(page, slots):
    page.wait_for_timeout(350)
    page.keyboard.down("1")
    for _ in range(12):
        page.wait_for_timeout(60)
        page.keyboard.down("1")  # a repeat
    page.keyboard.up("1")

    assert shown(page) == slots[1].pair.token


def test_other_keys_grade_nothing(page, slots):
    read_and_press(page, "Control+1", "Alt+1", "Meta+1", "4", "Shift+Digit1")

    assert shown(page) == slots[0].pair.token


def test_digits_in_a_note_are_text_and_the_next_grade_saves_it(page, opening, slots):
    read_and_press(page, "n")
    page.keyboard.type("Section 3, u l c")
    assert shown(page) == slots[0].pair.token
    page.keyboard.press("Escape")
    page.keyboard.press("2")

    saved(page, opening, 2)
    assert Judgment.objects.get().note == "Section 3, u l c"


def test_keys_rest_while_the_list_of_keys_is_open_and_can_be_switched_off(page, slots):
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    read_and_press(page, "1")
    assert shown(page) == slots[0].pair.token
    page.get_by_label("Use single-key shortcuts").uncheck()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    read_and_press(page, "1")

    assert shown(page) == slots[0].pair.token


def test_cannot_judge_by_keyboard_alone(page, opening, slots):
    read_and_press(page, "c")
    expect(page.get_by_label("The text is garbled or cut off")).to_be_focused()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")

    expect_pair(page, slots[1])
    eventually(page, Judgment.objects.exists)
    assert Judgment.objects.get().reason == "garbled"
    read_and_press(page, "2")
    expect_pair(page, slots[2])


def test_something_else_asks_for_a_note_before_anything_is_sent(page, slots):
    read_and_press(page, "c")
    page.get_by_role("radio", name="Something else").check()
    page.get_by_role("button", name="Save as").click()

    expect(page.locator("#cannot-form textarea")).to_be_focused()
    assert shown(page) == slots[0].pair.token


def test_later_brings_the_pair_back_at_the_end(page, opening, slots):
    read_and_press(page, "l")
    expect_pair(page, slots[1])
    read_and_press(page, *"00000000")

    expect_pair(page, slots[0])
    expect(page.get_by_text("put off earlier")).to_be_visible()


def test_the_guideline_opens_beside_and_stays_open(page, slots):
    read_and_press(page, "g", "1")

    expect_pair(page, slots[1])
    expect(page.get_by_role("heading", name="Grade definitions")).to_be_visible()
    page.keyboard.press("g")
    expect(page.get_by_role("heading", name="Grade definitions")).to_be_hidden()


# Undo


def test_undo_shows_the_last_pair_with_its_grade_and_a_change_returns_to_the_current_pair(
    page, opening, slots
):
    read_and_press(page, "2", "1", "u")
    expect_pair(page, slots[1])
    expect(page.get_by_text("You said 1 Related")).to_be_visible()
    expect(page.get_by_role("button", pressed=True)).to_contain_text("Related")
    read_and_press(page, "3")

    expect_pair(page, slots[2])
    expect(page.locator("#judged")).to_have_text("2")
    saved(page, opening, 2, 3)
    assert list(slots[1].judgments.values_list("grade", flat=True)) == [1, 3]


def test_escape_returns_from_undo_without_a_change(page, opening, slots):
    read_and_press(page, "2", "u", "Escape")

    expect_pair(page, slots[1])
    saved(page, opening, 2)


def test_undo_goes_back_beyond_this_page_load(page, opening, slots):
    read_and_press(page, "2", "1")
    saved(page, opening, 2, 1)
    page.reload()
    read_and_press(page, "u")
    expect_pair(page, slots[1])
    read_and_press(page, "u")

    expect_pair(page, slots[0])
    expect(page.get_by_text("You said 2 Similar")).to_be_visible()


def test_undo_of_what_is_not_sent_yet(page, context, opening, slots):
    context.set_offline(True)
    read_and_press(page, "2", "u", "0")
    expect_pair(page, slots[1])
    context.set_offline(False)

    saved(page, opening, 0)
    assert list(slots[0].judgments.values_list("grade", flat=True)) == [2, 0]


# Nothing is lost


def test_offline_judgments_are_kept_and_delivered_once(page, context, opening, slots):
    context.set_offline(True)
    read_and_press(page, "0", "1", "2")
    expect_pair(page, slots[3])
    expect(page.locator("#saved")).to_have_text("3 unsaved")
    expect(
        page.get_by_text("3 judgments are not saved yet, but kept on this computer")
    ).to_be_visible()
    context.set_offline(False)

    saved(page, opening, 0, 1, 2)
    expect(page.locator("#saved")).to_have_text("Saved")
    expect(page.locator("#trouble")).to_be_hidden()
    assert Judgment.objects.count() == 3


def test_at_the_end_of_what_is_here_the_page_waits_and_goes_on_by_itself(page, context, opening):
    page.wait_for_timeout(300)
    context.set_offline(True)
    read_and_press(page, *"000000000")
    expect(page.locator("#waiting")).to_be_visible()
    context.set_offline(False)

    expect(page.locator("h1")).to_have_text("All 9 pairs are judged", timeout=20_000)


def test_a_tab_closed_while_offline_loses_nothing(page, context, start, opening, slots):
    context.set_offline(True)
    read_and_press(page, "0", "1")
    page.close()
    assert Judgment.objects.count() == 0
    context.set_offline(False)
    again = start()

    saved(again, opening, 0, 1)
    expect_pair(again, slots[2])
    expect(again.locator("#judged")).to_have_text("2")


def test_the_list_of_queries_delivers_what_an_earlier_visit_left(page, context, start, opening):
    context.set_offline(True)
    read_and_press(page, "3")
    page.close()
    context.set_offline(False)
    again = start(reverse("judge", args=["small"]))

    saved(again, opening, 3)
    expect(again.get_by_text("1 of 9 pairs")).to_be_visible()


def test_a_lost_answer_of_the_server_does_not_count_twice(page, opening, slots):
    def save_but_say_nothing(route):
        route.fetch()
        route.abort()

    page.route(PAIR_POST, save_but_say_nothing, times=1)
    read_and_press(page, "2", "1")

    saved(page, opening, 2, 1)
    expect(page.locator("#saved")).to_have_text("Saved")
    assert Judgment.objects.count() == 2


def test_a_broken_server_is_tried_again_without_holding_up_the_others(page, opening, slots):
    broken = f"**{pair_url(slots[0])}"
    page.route(broken, lambda route: route.fulfill(status=500))
    read_and_press(page, "2", "1")
    eventually(page, lambda: grades_in(opening, "ann1") == [1])

    page.unroute(broken)
    saved(page, opening, 2, 1)


def test_a_reload_shows_the_same_pair(page, opening, slots):
    read_and_press(page, "2")
    saved(page, opening, 2)
    page.reload()

    expect_pair(page, slots[1])


def test_the_back_button_returns_to_the_list_not_through_every_pair(start, opening, live_server):
    page = start(reverse("judge", args=["small"]))
    page.get_by_role("link", name="Start judging").click()
    page.wait_for_load_state("networkidle")
    read_and_press(page, "2", "1")
    saved(page, opening, 2, 1)
    page.go_back()

    expect(page.get_by_role("heading", name="Your queries", exact=True)).to_be_visible()
    expect(page.get_by_text("2 of 9 pairs")).to_be_visible()


def test_an_ended_login_keeps_everything_until_the_next_login(
    page, context, opening, annotator, slots, live_server
):
    log_out(context)
    read_and_press(page, "2", "1")
    expect(page.get_by_text("You are logged out. 2 judgments are not saved yet")).to_be_visible()
    expect(page.get_by_role("link", name="Log in again")).to_have_attribute("target", "_blank")
    expect_pair(page, slots[2])
    # A real login in another tab gives a new CSRF token too.
    tab = context.new_page()
    tab.goto(live_server.url + reverse("login"))
    tab.get_by_label("Username").fill(annotator.username)
    tab.get_by_label("Password").fill("correct horse battery")
    tab.get_by_role("button", name="Log in", exact=True).click()
    tab.wait_for_url(lambda url: "login" not in url)
    tab.close()

    saved(page, opening, 2, 1)


def test_unsent_judgments_are_not_sent_as_another_user(
    page, context, opening, annotator, live_server
):
    log_in(context, live_server, opening.seats.get(number=2).annotator)
    read_and_press(page, "2")
    expect(page.get_by_text("Another person is logged in on this browser now.")).to_be_visible()
    assert Judgment.objects.count() == 0
    log_in(context, live_server, annotator)

    saved(page, opening, 2)


def test_a_pair_judged_in_another_window_is_said_with_a_way_to_see_it(page, opening, slots):
    judge(slots[0], Answer(grade=3))
    read_and_press(page, "0")

    notice = page.locator("#trouble .notice")
    expect(notice).to_contain_text("Not saved: 0 Unrelated")
    expect(notice).to_contain_text("You judged this pair in another window")
    notice.get_by_role("link", name="See this pair").click()
    expect(page.get_by_text("You said 3 Near identical")).to_be_visible()
    page.get_by_role("button", name="Dismiss").click()
    expect(page.locator("#trouble")).to_be_hidden()
    assert grades_in(opening, "ann1") == [3]


def test_leaving_with_unsaved_judgments_warns(page, context):
    context.set_offline(True)
    read_and_press(page, "2")
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.get_by_role("link", name="Your queries").click(no_wait_after=True)

    eventually(page, lambda: asked == ["beforeunload"])


# Without scripts, narrow, accessible


def test_everything_works_without_scripts(browser, live_server, opening, annotator, slots):
    context = browser.new_context(java_script_enabled=False)
    log_in(context, live_server, annotator)
    page = context.new_page()
    page.goto(live_server.url + reverse("judge", args=["small"]))
    page.get_by_role("link", name="Start judging").click()
    page.get_by_role("button", name="2 Similar").click()
    expect_pair(page, slots[1])
    page.locator("#cannot summary").click()
    page.get_by_label("It is in a language I do not read").check()
    page.get_by_role("button", name="Save as").click()
    expect_pair(page, slots[2])
    page.get_by_role("button", name="Later").click()
    expect_pair(page, slots[3])
    page.locator("#note summary").click()
    page.locator("#note textarea").fill("Seen without scripts")
    page.get_by_role("button", name="0 Unrelated").click()
    expect_pair(page, slots[4])
    page.get_by_role("link", name="Undo").click()
    expect_pair(page, slots[3])
    page.get_by_role("button", name="1 Related").click()
    expect_pair(page, slots[4])
    page.get_by_role("link", name="Guideline").click()
    expect(page.get_by_role("heading", name="Grade definitions")).to_be_visible()

    assert grades_in(opening, "ann1") == [2, None, 1]
    assert list(slots[3].judgments.values_list("note", flat=True)) == ["Seen without scripts"] * 2
    context.close()


def test_the_grades_are_in_reach_and_cover_no_text(page):
    for width in (360, 768, 1440):
        page.set_viewport_size({"width": width, "height": 640})
        page.wait_for_timeout(200)
        page.evaluate("scrollTo(0, 0)")
        top = page.locator("#dock").bounding_box()["y"]
        for grade in "0123":
            box = page.locator(f'#answer [data-key="{grade}"]').bounding_box()
            assert box["y"] + box["height"] <= 640
            assert box["x"] + box["width"] <= width
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        last = page.locator("#pair .paper p").last.bounding_box()

        assert last["y"] + last["height"] <= page.locator("#dock").bounding_box()["y"]
        assert top > 320
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("width", "theme"), [(360, "dark"), (1440, "light")])
def test_no_page_has_accessibility_violations(
    new_context, live_server, opening, annotator, theme, width
):
    # Axe puts its own script into the page, which the policy forbids.
    context = new_context(
        bypass_csp=True, color_scheme=theme, viewport={"width": width, "height": 800}
    )
    log_in(context, live_server, annotator)
    page = context.new_page()
    page.goto(live_server.url + reverse("judge", args=["small"]))
    assert_accessible(page)
    page.goto(live_server.url + query_url(opening))
    assert_accessible(page)
    read_and_press(page, "2", "c")
    assert_accessible(page)
    read_and_press(page, "Escape", "g", "u")
    expect(page.get_by_text("You said 2 Similar")).to_be_visible()
    assert_accessible(page)
    context.set_offline(True)
    read_and_press(page, "1")
    expect(page.locator("#trouble")).to_be_visible()
    assert_accessible(page)
    context.set_offline(False)
    saved(page, opening, 1)
    page.keyboard.press("?")
    assert_accessible(page)
    page.goto(live_server.url + query_url(opening, "judge-mine"))
    assert_accessible(page)


def test_on_a_phone_aids_change_no_answer_and_a_tap_waits_for_the_candidate(page, opening, slots):
    page.get_by_role("button", name="Understood").click()
    page.reload()
    expect(page.locator("#tour")).to_be_hidden()
    sent = page.locator("#answer [name=presentation]").input_value()
    read_and_press(page, "w", "f", "s")
    label = "getComputedStyle(document.querySelector('.pair [data-label]'), '::after').content"
    assert page.evaluate(label) == '"background"'
    assert page.evaluate("CSS.highlights.get('shared-words').size") > 0
    unmarked = page.get_by_text(f"Background of {slots[0].pair.candidate.document.docno}.")
    expect(unmarked).to_be_hidden()
    page.get_by_role("button", name="Show all sentences").click()
    expect(unmarked).to_be_visible()
    assert page.locator("#answer [name=presentation]").input_value() == sent

    page.set_viewport_size({"width": 390, "height": 844})
    for part in (".query", ".candidate"):
        page.evaluate(f"document.querySelector('{part}').style.minHeight = '1200px'")
    page.set_viewport_size({"width": 800, "height": 844})
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_text("Scroll to the candidate to grade it.")).to_be_visible()
    page.locator('#answer [data-key="3"]').click()
    expect_pair(page, slots[0])
    page.evaluate("scrollTo(0, 1200)")
    expect(page.get_by_text("Scroll to the candidate to grade it.")).to_be_hidden()
    expect(page.locator(".strip")).to_be_visible()
    page.locator('#answer [data-key="3"]').click()

    expect_pair(page, slots[1])
    expect(page.locator(".facet-only .pair p").first).to_be_hidden()
    saved(page, opening, 3)


# Blind


@pytest.mark.by_day(1)  # each day, because it is about blindness
def test_nothing_that_reaches_the_browser_breaks_the_blind(page, context, live_server, opening):
    for slot in slots_of(opening, "ann2"):
        judge(slot, Answer(grade=3, note="A remark of the other judge"))
    received = []

    def record(route):
        response = route.fetch()
        if re.search("html|json", response.headers.get("content-type", "")):
            received.append(response.text())
        route.fulfill(response=response)

    page.route("**/c/small/**", record)
    read_and_press(page, "2", "u", "1", "g", "l")
    eventually(
        page, lambda: not page.evaluate("Object.keys(localStorage).join().includes(':waiting:')")
    )
    waiting, visited = [reverse("judge", args=["small"])], set()
    while waiting:
        path = waiting.pop()
        visited.add(path)
        page.goto(live_server.url + path)
        links = page.eval_on_selector_all(
            "a[href^='/c/small/judge']", "all => all.map(a => a.getAttribute('href'))"
        )
        waiting += [link for link in dict.fromkeys(links) if link not in {*visited, *waiting}]
    page.unroute_all(behavior="wait")

    assert len(visited) >= 4
    assert len(received) > len(visited)
    for text in received:
        for word in ("A remark", "ann2", "1987", "Secret Venue", "Hidden Author", "bm25_title"):
            assert not tells(text, word)
