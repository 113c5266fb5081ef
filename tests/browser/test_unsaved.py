"""Judging where the network, the browser or another window fails: nothing lost, nothing untrue."""

from urllib.parse import parse_qs

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Judgment
from annotation.services import Answer
from dashboard.settings.archiving import archive_collection, unarchive_collection
from tests.support.judging_page import (
    NOT_OURS,
    READING,
    WORKSPACE_FIXTURES,
    answered_by_another,
    block_storage,
    eventually,
    expect_pair,
    log_in,
    press_after,
    read_and_press,
    retry_now,
    shown,
)
from tests.support.sittings import grades_in, judge, pair_url, query_url, slots_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(2),
]

BACK_FROM_CACHE = "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))"


size, opening, slots, annotator, start, page = WORKSPACE_FIXTURES


@pytest.fixture
def stopped(start, slots):
    page = start(stopped=True)
    expect_pair(page, slots[0])
    return page


def saved(page, opening, *grades):
    eventually(page, lambda: sorted(grades_in(opening, "ann1")) == sorted(grades))
    expect(page.locator("#saved")).to_have_text("Saved")


def grades_of(slot):
    return list(slot.judgments.values_list("grade", flat=True))


# Answers that are not the server's


def test_only_an_answer_of_the_server_with_the_key_settles_a_judgment(page, opening):
    """One judgment through all of them: at the end it is saved once, and so is a second."""
    # Between two of them a timer may send it: then the first one still answers.
    with answered_by_another(page, {"status": 502}):
        read_and_press(page, "2")
        expect(page.locator("#saved")).to_have_text("1 unsaved")
        for name, (answer, words) in NOT_OURS.items():
            with answered_by_another(page, answer):
                retry_now(page)
                expect(page.locator("#trouble"), name).to_contain_text(words)
                expect(page.locator("#trouble"), name).to_contain_text("kept on this computer")
                expect(page.locator("#saved"), name).to_have_text("1 unsaved")
            assert not Judgment.objects.exists(), name
    read_and_press(page, "1")

    saved(page, opening, 2, 1)
    expect(page.locator("#trouble")).to_be_hidden()
    assert Judgment.objects.count() == 2


def test_a_retry_during_an_attempt_is_made_after_it(stopped, opening):
    """No timer runs here, so the second attempt is the one that was asked for."""
    page, held = stopped, []

    def hold_the_first(route):
        if route.request.method == "POST" and not held:
            held.append(route)
        else:
            route.fallback()

    page.route("**/c/**", hold_the_first)
    press_after(page, READING, "2")
    eventually(page, lambda: held)
    retry_now(page)
    held[0].fulfill(status=502)

    saved(page, opening, 2)


def test_a_maintenance_page_is_not_taken_for_the_end_of_the_query(context, start, opening, slots):
    down = {"status": 200, "content_type": "text/html", "body": "<h1>Down</h1>"}
    context.route("**/ahead/**", lambda route: route.fulfill(**down))
    page = start()
    read_and_press(page, "2")
    expect(page.get_by_text("The next pairs cannot be fetched at the moment.")).to_be_visible()
    context.unroute("**/ahead/**")

    expect_pair(page, slots[1])
    assert grades_in(opening, "ann1") == [2]


def test_a_stuck_request_is_given_up_and_sent_again_with_its_key(stopped, opening, slots):
    page, sent = stopped, []

    def never_answer_first(route):
        sent.append(parse_qs(route.request.post_data)["key"])
        if len(sent) > 1:
            route.continue_()

    page.route(f"**{pair_url(slots[0])}", never_answer_first)
    press_after(page, READING, "2")
    expect_pair(page, slots[1])
    eventually(page, lambda: len(sent) == 1)
    page.clock.run_for(20_000)
    expect(page.get_by_text("The server cannot be reached.")).to_be_visible()
    assert not Judgment.objects.exists()
    page.clock.run_for(1_000)

    saved(page, opening, 2)
    assert len(sent) == 2
    assert sent[0] == sent[1]


def test_what_waits_for_a_retry_is_not_sent_with_every_press(stopped, slots):
    """Time stands still but for 350 ms a press: one retry is due, after a second."""
    page, sent = stopped, []

    def down(route):
        sent.append(route.request.url)
        route.fulfill(status=502)

    page.route("**/judge/*_method/*/", down)
    for number, slot in enumerate(slots[1:5], start=1):
        press_after(page, READING, "2")
        expect_pair(page, slot)
        eventually(page, lambda number=number: len(set(sent)) == number)
    expect(page.locator("#saved")).to_have_text("4 unsaved")

    assert len(sent) <= 4 + 4


# Offline


@pytest.mark.parametrize("size", [75])
def test_fifty_pairs_are_judged_offline_and_the_page_says_what_is_saved(
    stopped, context, opening, slots
):
    page, notice = stopped, stopped.locator("#trouble")
    context.set_offline(True)
    for slot in slots[1:51]:
        press_after(page, READING, "1")
        expect_pair(page, slot)
    expect(page.locator("#saved")).to_have_text("50 unsaved")
    expect(notice).to_contain_text("50 judgments are not saved yet, but kept on this computer.")
    ready = int(notice.inner_text().split("You can go on: ")[1].split()[0])
    assert not Judgment.objects.exists()
    for slot in slots[51 : 50 + ready]:
        press_after(page, READING, "0")
        expect_pair(page, slot)
    press_after(page, READING, "0")
    expect(page.locator("#waiting")).to_contain_text(
        f"You have judged every pair that is ready here. {50 + ready} judgments are not saved yet."
    )
    expect(notice).not_to_contain_text("You can go on")
    context.set_offline(False)
    retry_now(page)

    eventually(page, lambda: Judgment.objects.count() == 50 + ready, seconds=60)
    expect_pair(page, slots[50 + ready])
    saved(page, opening, *[1] * 50, *[0] * ready)


def test_the_notice_counts_what_is_ready_while_an_answer_is_on_its_way(stopped, slots):
    """The first answer fails, the second stays on its way: only the press can change the count."""
    page, posted = stopped, []

    def fail_the_first(route):
        posted.append(route)
        if len(posted) == 1:
            route.abort()

    page.route("**/judge/*_method/*/", fail_the_first)
    press_after(page, READING, "1")
    expect(page.locator("#trouble")).to_contain_text("You can go on: 8 more pairs are ready here.")
    press_after(page, READING, "1")
    expect_pair(page, slots[2])
    eventually(page, lambda: len(posted) == 2)

    expect(page.locator("#trouble")).to_contain_text("You can go on: 7 more pairs are ready here.")


@pytest.mark.parametrize("size", [75])
def test_the_annotator_chooses_how_many_pairs_are_ready_offline(page, context):
    page.keyboard.press("?")
    page.get_by_label("Pairs kept ready for judging offline").select_option("100")
    page.wait_for_timeout(500)
    page.wait_for_load_state("networkidle")
    page.keyboard.press("Escape")
    context.set_offline(True)
    read_and_press(page, "1")

    expect(page.locator("#trouble")).to_contain_text("You can go on: 74 more pairs are ready here.")


@pytest.mark.parametrize("size", [61])
def test_a_query_opens_with_one_page_and_one_request_for_its_other_pairs(
    stopped, live_server, opening
):
    page, requests = stopped, []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(live_server.url + query_url(opening))
    page.wait_for_load_state("networkidle")

    address = live_server.url + query_url(opening)
    assert [url.split("?")[0] for url in requests if url.startswith(address)] == [
        address,
        f"{address}ahead/",
    ]


@pytest.mark.parametrize("size", [75])
def test_a_press_sends_its_judgment_and_few_requests_besides(stopped, opening, slots):
    page, requests = stopped, []
    page.on("request", lambda request: requests.append((request.method, request.url[-90:])))
    for slot in slots[1:13]:
        press_after(page, READING, "1")
        assert shown(page) == slot.pair.token
    saved(page, opening, *[1] * 12)

    assert [method for method, _ in requests].count("POST") == 12
    # Chromium asks for the icon again whenever the address changes.
    assert len([url for method, url in requests if method == "GET" and "icon" not in url]) <= 2


def test_the_end_of_a_query_is_not_asked_for_with_every_press(stopped, slots):
    page, fetched = stopped, []
    page.on("request", lambda request: fetched.append(request.url))
    for slot in slots[1:]:
        press_after(page, READING, "1")
        expect_pair(page, slot)

    assert not [url for url in fetched if "/ahead/" in url]


# Where the browser keeps nothing


def test_where_storage_is_blocked_it_is_said_and_plain_forms_judge(
    browser, live_server, opening, annotator, slots
):
    context = browser.new_context()
    block_storage(context)
    log_in(context, live_server, annotator)
    page = context.new_page()
    page.goto(live_server.url + query_url(opening))
    expect(page.locator("#trouble")).to_contain_text("This browser blocks storage for this site")
    read_and_press(page, "n")
    page.keyboard.type("By hand")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    page.wait_for_url(f"**{pair_url(slots[1])}")
    assert list(Judgment.objects.values_list("grade", "note")) == [(2, "By hand")]
    read_and_press(page, "u")
    expect(page.get_by_text("You said 2 Similar")).to_be_visible()
    read_and_press(page, "Escape")
    page.wait_for_url(f"**{query_url(opening)}")
    read_and_press(page, "1")
    page.wait_for_url(f"**{pair_url(slots[2])}")

    assert grades_in(opening, "ann1") == [2, 1]
    context.close()


def test_a_browser_that_refuses_to_keep_more_says_that_the_tab_must_stay_open(
    page, context, opening
):
    page.evaluate(
        "() => { Storage.prototype.setItem = () => { throw new DOMException('', 'Quota'); } }"
    )
    context.set_offline(True)
    read_and_press(page, "2", "1")
    expect(page.locator("#trouble")).to_contain_text(
        "2 judgments are not saved yet, but kept in this tab only: do not close it."
    )
    context.set_offline(False)

    saved(page, opening, 2, 1)


# Presses and fields


@pytest.mark.parametrize("key", ["2", "l"])
def test_a_press_too_early_is_shown_as_ignored_until_the_next_that_counts(stopped, slots, key):
    page = stopped
    press_after(page, READING, "1")
    page.keyboard.press(key)
    expect(page.locator("#last")).to_have_text(
        "Press ignored: this pair had only just appeared. Press again."
    )
    assert shown(page) == slots[1].pair.token
    press_after(page, READING, "2")

    expect(page.locator("#last")).to_have_text("Last: 2 Similar")
    expect_pair(page, slots[2])


def test_on_a_phone_too_an_ignored_press_is_shown(stopped):
    stopped.set_viewport_size({"width": 390, "height": 800})
    press_after(stopped, READING, "1")
    stopped.keyboard.press("1")
    box = stopped.locator("#last").bounding_box()

    assert box["width"] > 300
    assert box["y"] + box["height"] <= stopped.locator("#answer").bounding_box()["y"]


def test_a_note_and_a_reason_are_saved_with_their_own_pair_only(page):
    read_and_press(page, "n")
    page.keyboard.type("Of the first")
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    page.get_by_role("radio", name="Something else").check()
    page.locator("#cannot-form textarea").fill("Half a thought")
    page.locator("#cannot-form textarea").press("Escape")
    read_and_press(page, "2", "1", "c")
    expect(page.locator("#cannot-form input:checked")).to_have_count(0)
    expect(page.locator("#cannot-form textarea")).to_have_value("")
    page.get_by_role("radio", name="Something else").check()
    page.locator("#cannot-form textarea").fill("A list")
    page.get_by_role("button", name="Save as").click()
    read_and_press(page, "3")

    eventually(page, lambda: Judgment.objects.count() == 4)
    assert list(Judgment.objects.order_by("pk").values_list("grade", "reason", "note")) == [
        (2, "", "Of the first"),
        (1, "", ""),
        (None, "other", "A list"),
        (3, "", ""),
    ]


def test_seconds_count_while_a_pair_is_visible_until_a_minute_after_the_last_movement(stopped):
    page = stopped
    hide = "Object.defineProperty(document, 'hidden', { value: %s, configurable: true });"
    hide += "document.dispatchEvent(new Event('visibilitychange'))"

    def seconds_after(judgments):
        # Waited for before time goes on, which would give up the request.
        eventually(page, lambda: Judgment.objects.count() == judgments)
        return list(Judgment.objects.order_by("pk").values_list("seconds", flat=True))

    press_after(page, 7_000, "2")
    assert seconds_after(1) == [7]
    page.clock.run_for(3_000)
    page.evaluate(hide % "true")
    page.clock.run_for(60_000)
    page.evaluate(hide % "false")
    press_after(page, 2_000, "1")
    assert seconds_after(2) == [7, 5]
    press_after(page, 30_000, "u")
    press_after(page, 4_000, "0")
    assert seconds_after(3) == [7, 5, 4]
    page.clock.fast_forward(30 * 3600 * 1000)
    page.mouse.move(30, 30)
    press_after(page, 5_000, "3")
    assert seconds_after(4) == [7, 5, 4, 60 + 5]


def test_a_clock_set_back_does_not_change_the_order(page, context, slots):
    page.clock.install()
    page.reload()
    page.wait_for_load_state("networkidle")
    context.set_offline(True)
    read_and_press(page, "2")
    page.clock.set_system_time("2001-01-01T00:00:00Z")
    read_and_press(page, "u", "0")
    expect(page.locator("#saved")).to_have_text("2 unsaved")
    context.set_offline(False)
    retry_now(page)

    eventually(page, lambda: grades_of(slots[0]) == [2, 0])
    expect(page.locator("#trouble")).to_be_hidden()


# Other windows and other people


def test_a_pair_judged_in_another_tab_shows_that_judgment_here(page, start, opening, slots):
    other = start()
    read_and_press(page, "2", "1")
    expect(other.get_by_text("You said 2 Similar")).to_be_visible()
    read_and_press(other, "Escape")
    expect_pair(other, slots[2])
    read_and_press(other, "3")

    saved(other, opening, 2, 1, 3)
    expect(other.locator("#judged")).to_have_text("3")
    assert Judgment.objects.count() == 3


def test_half_an_answer_in_another_tab_is_kept_and_then_refused_with_its_note(
    page, start, opening, slots
):
    other = start()
    read_and_press(other, "n")
    other.keyboard.type("Half a thought")
    read_and_press(page, "2")
    saved(page, opening, 2)
    other.keyboard.press("Escape")
    read_and_press(other, "0")

    expect(other.locator("#saved")).to_have_text("1 not saved")
    expect(other.locator("#trouble")).to_contain_text("Your note was: Half a thought")
    assert grades_of(slots[0]) == [2]


def test_after_a_refusal_the_page_shows_the_judgment_that_stands(page, slots):
    judge(slots[0], Answer(grade=3))
    read_and_press(page, "0")
    expect(page.locator("#trouble")).to_contain_text("You judged this pair in another window")
    page.wait_for_timeout(500)
    read_and_press(page, "u")
    expect(page.get_by_text("You said 3 Near identical")).to_be_visible()
    read_and_press(page, "1")

    eventually(page, lambda: grades_of(slots[0]) == [3, 1])
    expect(page.locator("#trouble")).to_be_hidden()


def test_an_answer_after_a_refusal_cannot_slip_through(page, slots):
    """The page could not fetch the judgment that stands: what it shows was never saved."""
    judge(slots[0], Answer(grade=3))
    page.route(
        f"**{pair_url(slots[0])}",
        lambda route: route.abort() if route.request.method == "GET" else route.fallback(),
    )
    read_and_press(page, "0")
    expect(page.locator("#trouble .notice")).to_have_count(1)
    read_and_press(page, "u", "1")

    expect(page.locator("#trouble .notice")).to_have_count(2)
    assert grades_of(slots[0]) == [3]


def test_two_people_in_one_browser_each_get_their_own(
    page, context, start, live_server, opening, annotator
):
    context.set_offline(True)
    read_and_press(page, "2")
    page.close()
    context.set_offline(False)
    log_in(context, live_server, opening.seats.get(number=2).annotator)
    theirs = start()
    expect(theirs.locator("#saved")).to_have_text("Saved")
    read_and_press(theirs, "0")
    eventually(theirs, lambda: grades_in(opening, "ann2") == [0])
    assert grades_in(opening, "ann1") == []
    log_in(context, live_server, annotator)
    mine = start()

    saved(mine, opening, 2)
    assert grades_in(opening, "ann2") == [0]


def test_a_page_of_one_person_gets_nothing_of_another(page, context, live_server, opening, slots):
    for slot in slots_of(opening, "ann2"):
        judge(slot, Answer(grade=3, note="A remark of the other judge"))
    log_in(context, live_server, opening.seats.get(number=2).annotator)
    page.keyboard.press("u")

    expect(page.locator("#last")).to_have_text("The earlier pair cannot be fetched just now")
    expect_pair(page, slots[0])


def test_answers_to_an_archived_collection_wait_until_it_is_back(page, opening):
    collection = opening.query.collection
    archive_collection(collection=collection)
    read_and_press(page, "2")
    read_and_press(page, "1")
    expect(page.locator("#trouble")).to_contain_text("This collection is archived.")
    expect(page.locator("#saved")).to_have_text("2 unsaved")
    assert not Judgment.objects.exists()
    unarchive_collection(collection=collection)
    retry_now(page)

    saved(page, opening, 2, 1)


# Pages of other work


@pytest.fixture
def left_unsaved(page, context):
    """Two judgments that an earlier visit to the workspace left behind."""
    context.set_offline(True)
    read_and_press(page, "2", "1")
    expect(page.locator("#saved")).to_have_text("2 unsaved")
    page.close()
    context.set_offline(False)


@pytest.mark.parametrize("view", ["account", "judge"])
def test_every_page_of_the_account_sends_what_an_earlier_visit_left(
    left_unsaved, start, opening, view
):
    page = start(reverse(view, args=["small"] if view == "judge" else []))

    eventually(page, lambda: grades_in(opening, "ann1") == [2, 1])
    expect(page.locator("#unsaved .notice")).to_have_count(0)


def test_a_page_of_other_work_says_what_is_unsaved_and_sends_it_on_request(
    left_unsaved, context, start, opening
):
    archive_collection(collection=opening.query.collection)
    context.clock.install()
    page = start(reverse("account"))
    notice = page.locator("#unsaved .notice")
    expect(notice).to_contain_text("This collection is archived.")
    page.clock.pause_at(page.evaluate("Date.now() + 1"))  # so that it is not sent by itself
    expect(notice).to_contain_text("In small: 2 judgments are not saved yet, but kept on this")
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.get_by_role("banner").get_by_role("button", name="Log out").click()
    assert page.url.endswith(reverse("account"))
    assert not Judgment.objects.exists()
    unarchive_collection(collection=opening.query.collection)
    notice.get_by_role("button", name="Send now").click()

    eventually(page, lambda: grades_in(opening, "ann1") == [2, 1])
    expect(notice).to_have_count(0)


def test_two_pages_that_send_the_same_judgments_save_each_once(
    left_unsaved, start, context, opening
):
    """Where a page is not served over HTTPS, browsers have no locks between tabs."""
    context.add_init_script("Object.defineProperty(navigator, 'locks', { value: undefined })")
    context.route("**/judge/*_method/*/", lambda route: route.abort())
    pages = [start(reverse("account")), start(reverse("account"))]
    for page in pages:
        expect(page.locator("#unsaved")).to_contain_text("In small: 2 judgments are not saved yet")
    context.unroute("**/judge/*_method/*/")
    for page in pages:
        page.get_by_role("button", name="Send now").evaluate("button => button.click()")

    for page in pages:
        expect(page.locator("#unsaved .notice")).to_have_count(0)
    assert grades_in(opening, "ann1") == [2, 1]
    assert Judgment.objects.count() == 2


def test_a_page_of_another_account_neither_sends_nor_shows_them(
    left_unsaved, context, start, live_server, opening
):
    log_in(context, live_server, opening.seats.get(number=2).annotator)
    page, fetched = start(reverse("account")), []
    page.on("request", lambda request: fetched.append(request.url))
    page.reload()
    page.wait_for_load_state("networkidle")

    expect(page.locator("#unsaved")).to_be_empty()
    assert not Judgment.objects.exists()
    assert not [url for url in fetched if "outbox" in url]


# The back-forward cache


def test_a_page_from_the_back_forward_cache_shows_the_pair_as_it_is(page, slots):
    judge(slots[0], Answer(grade=3))
    page.evaluate(BACK_FROM_CACHE)

    expect(page.get_by_text("You said 3 Near identical")).to_be_visible()


def test_offline_a_page_from_the_back_forward_cache_stays_and_judges_on(
    page, context, opening, slots
):
    context.set_offline(True)
    read_and_press(page, "2")
    page.evaluate(BACK_FROM_CACHE)
    read_and_press(page, "1")
    expect_pair(page, slots[2])
    context.set_offline(False)

    saved(page, opening, 2, 1)
