"""Marks of what a match is about, in a real browser: by keys, by touch, and without scripts."""

import pytest
from playwright.sync_api import expect

from annotation.models import Judgment
from tests.support.aspects import an_asking_collection, an_open_query_with_aspects
from tests.support.judging_page import (
    READING,
    WORKSPACE_FIXTURES,
    assert_accessible,
    eventually,
    expect_pair,
    log_in,
    read_and_press,
    shown,
)
from tests.support.sittings import pair_url, query_url

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]

size, _, slots, annotator, start, page = WORKSPACE_FIXTURES


@pytest.fixture
def opening(size):
    return an_open_query_with_aspects(an_asking_collection(), size=size)


def marks() -> list[list[int] | None]:
    return list(Judgment.objects.order_by("pk").values_list("aspects", flat=True))


def box(page, number: int):
    return page.locator(f"#aspects input[value='{number}']")


def saves(page, *expected: list[int]) -> None:
    eventually(page, lambda: marks() == list(expected))


def test_a_query_by_keyboard_alone_with_marks(page, slots):
    read_and_press(page, "Shift+Digit2", "2", "Shift+Digit3")
    page.keyboard.press("Shift+Digit5")
    page.keyboard.press("3")
    read_and_press(page, "1")

    expect_pair(page, slots[3])
    saves(page, [2], [3, 5], [])
    assert list(Judgment.objects.order_by("pk").values_list("grade", flat=True)) == [2, 3, 1]


def test_the_marks_are_cleared_for_the_next_pair(page, slots):
    read_and_press(page, "Shift+Digit2")
    expect(box(page, 2)).to_be_checked()
    expect(page.locator(".query [data-aspect='2']")).to_have_class("marked")
    page.keyboard.press("2")

    expect_pair(page, slots[1])
    expect(box(page, 2)).not_to_be_checked()
    expect(page.locator(".marked")).to_have_count(0)


def test_the_key_of_a_mark_removes_it_again(page):
    read_and_press(page, "Shift+Digit2")
    page.keyboard.press("Shift+Digit2")
    expect(box(page, 2)).not_to_be_checked()
    page.keyboard.press("2")

    saves(page, [])


def test_a_grade_of_0_has_no_marks(page, slots):
    read_and_press(page, "Shift+Digit2", "0")

    expect_pair(page, slots[1])
    saves(page, [])
    assert Judgment.objects.get().grade == 0


def test_the_key_of_a_sentence_that_is_not_bold_neither_marks_nor_grades(page, slots):
    read_and_press(page, "Shift+Digit1")

    expect(page.locator("#last")).to_have_text("Nothing to mark has the number 1")
    assert shown(page) == slots[0].pair.token
    expect(page.locator("#aspects :checked")).to_have_count(0)


def test_a_mark_that_was_meant_for_the_pair_before_is_ignored_and_said(start):
    page = start(stopped=True)
    page.clock.run_for(READING)
    page.keyboard.press("2")
    page.clock.run_for(100)
    page.keyboard.press("Shift+Digit2")

    expect(page.locator("#last.ignored")).to_contain_text("Press ignored")
    expect(box(page, 2)).not_to_be_checked()


def test_undo_shows_the_marks_and_a_new_grade_keeps_them(page, slots):
    read_and_press(page, "Shift+Digit5", "2", "u")
    expect_pair(page, slots[0])
    expect(box(page, 5)).to_be_checked()
    expect(page.locator(".query [data-aspect='5']")).to_have_class("marked")
    read_and_press(page, "3")

    saves(page, [5], [5])


def test_undo_in_a_new_tab_shows_the_marks_from_the_server(page, start):
    read_and_press(page, "Shift+Digit5", "2")
    saves(page, [5])

    page = start()
    read_and_press(page, "u")
    expect(box(page, 5)).to_be_checked()


def test_marks_of_offline_answers_arrive_once_the_network_is_back(page, context, slots):
    page.wait_for_timeout(READING)
    context.set_offline(True)
    read_and_press(page, "Shift+Digit2", "2", "Shift+Digit3", "1")
    expect_pair(page, slots[2])
    assert marks() == []
    context.set_offline(False)

    saves(page, [2], [3])


def test_a_reload_before_the_answer_is_sent_keeps_its_marks(page, context, slots, start):
    page.route("**/judge/*_method/*/", lambda route: route.abort())
    read_and_press(page, "Shift+Digit2", "2")
    page.unroute("**/judge/*_method/*/")
    page.reload()

    saves(page, [2])


def test_a_click_on_the_number_or_the_text_of_a_sentence_marks_it(page):
    page.wait_for_timeout(READING)
    page.locator(".query [data-aspect='3']").click()
    expect(box(page, 3)).to_be_checked()
    page.locator("#aspects label", has_text="5").click()
    expect(page.locator(".query [data-aspect='5']")).to_have_class("marked")
    page.keyboard.press("2")

    saves(page, [3, 5])


def test_a_person_who_selects_words_of_a_sentence_does_not_mark_it(page):
    page.wait_for_timeout(READING)
    text = page.locator(".query [data-aspect='3'] strong").bounding_box()
    page.mouse.move(text["x"] + 5, text["y"] + 8)
    page.mouse.down()
    page.mouse.move(text["x"] + 80, text["y"] + 8, steps=4)
    page.mouse.up()

    assert page.evaluate("getSelection().toString().length") > 3
    expect(box(page, 3)).not_to_be_checked()


def test_a_list_of_keys_names_the_key(page):
    page.keyboard.press("?")

    expect(page.locator("#keys")).to_contain_text("mark what the match is about")


def test_a_query_by_touch(browser, live_server, opening, annotator, slots):
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    log_in(context, live_server, annotator)
    page = context.new_page()
    page.goto(live_server.url + query_url(opening))
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(READING)
    page.locator(".query [data-aspect='2']").tap()
    expect(box(page, 2)).to_be_checked()
    page.locator(".pair h3").scroll_into_view_if_needed()
    page.get_by_role("button", name="2 Similar").tap()
    expect_pair(page, slots[1])
    page.wait_for_timeout(READING)
    # The query is folded now, and its facet's sentences are in the strip.
    page.locator(".strip [data-aspect='5']").tap()
    page.locator(".pair h3").scroll_into_view_if_needed()
    page.get_by_role("button", name="3 Near identical").tap()

    saves(page, [2], [5])
    context.close()


def test_a_query_without_scripts(browser, live_server, opening, annotator, slots):
    context = browser.new_context(java_script_enabled=False)
    log_in(context, live_server, annotator)
    page = context.new_page()
    page.goto(live_server.url + query_url(opening))
    page.get_by_label("sentence 2").check()
    page.get_by_role("button", name="2 Similar").click()
    assert marks() == [[2]]
    expect(page.get_by_label("sentence 2")).not_to_be_checked()
    page.get_by_label("sentence 5").check()
    page.get_by_role("button", name="0 Unrelated").click()
    assert marks() == [[2], []]
    page.goto(live_server.url + pair_url(slots[0]))
    expect(page.get_by_label("sentence 2")).to_be_checked()
    context.close()


def test_the_workspace_with_marks_is_accessible(page):
    read_and_press(page, "Shift+Digit2")

    assert_accessible(page)
