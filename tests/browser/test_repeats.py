"""A query with hidden repeats, in a real browser by keyboard alone, and without scripts."""

import pytest
from playwright.sync_api import expect

from annotation import queue
from annotation.models import Repeat, RepeatJudgment
from tests.support.judging_page import WORKSPACE_FIXTURES, eventually, log_in, read_and_press, shown
from tests.support.repeats import an_open_query_with_repeats, repeats_of
from tests.support.sittings import grades_in, query_url

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]

size, _, slots, annotator, start, page = WORKSPACE_FIXTURES


@pytest.fixture
def opening():
    return an_open_query_with_repeats(0.5, size=6)


def pair_of(token):
    """The candidate of the pair or repeat that is on the screen."""
    repeat = Repeat.objects.filter(token=token).select_related("slot__pair").first()
    return repeat.slot.pair.token if repeat else token


def test_a_query_with_repeats_is_judged_by_keyboard_alone(page, opening, live_server):
    tokens, marked = [], []
    for key in "012301230":
        tokens.append(shown(page))
        # Nothing of an earlier answer is on the page: no grade is pressed, and no words say it.
        marked.append(page.locator("[aria-pressed=true], #was:not([hidden])").count())
        read_and_press(page, key)

    page.wait_for_url(live_server.url + query_url(opening, "judge-mine"))
    expect(page.locator("h1")).to_have_text("All 9 pairs are judged")
    assert marked == [0] * 9
    assert len(grades_in(opening, "ann1")) == 6
    answers = RepeatJudgment.objects.select_related("compared", "repeat")
    assert len(answers) == 3
    assert all(answer.compared.slot_id == answer.repeat.slot_id for answer in answers)
    assert len(set(tokens)) == 9
    assert len({pair_of(token) for token in tokens}) == 6


def test_undo_and_later_work_on_a_repeat(page, opening):
    repeats = {repeat.token for repeat in repeats_of(opening)}
    while shown(page) not in repeats:
        read_and_press(page, "1")
    first = shown(page)

    read_and_press(page, "2", "u")
    assert shown(page) == first
    expect(page.locator("#was-said")).to_contain_text("2")
    read_and_press(page, "3")
    eventually(page, lambda: RepeatJudgment.objects.filter(grade=3).exists())
    assert [answer.grade for answer in RepeatJudgment.objects.order_by("pk")] == [2, 3]

    second = shown(page)
    read_and_press(page, "l")
    eventually(page, lambda: Repeat.objects.filter(postponed_at__isnull=False).count() == 1)
    assert second != shown(page)
    expect(page.locator("#total")).to_have_text("9")


def test_a_query_with_repeats_is_judged_without_a_connection(page, opening, context):
    page.wait_for_timeout(500)  # The pairs ahead are here.
    context.set_offline(True)
    read_and_press(page, *"012301230")
    assert grades_in(opening, "ann1") == []

    context.set_offline(False)

    eventually(page, lambda: RepeatJudgment.objects.count() == 3, 30)
    assert len(grades_in(opening, "ann1")) == 6
    assert not RepeatJudgment.objects.filter(compared=None).exists()


def test_a_query_with_repeats_is_judged_without_scripts(browser, live_server, opening, annotator):
    context = browser.new_context(java_script_enabled=False)
    log_in(context, live_server, annotator)
    page = context.new_page()
    page.goto(live_server.url + query_url(opening))

    for _ in range(9):
        page.locator("#answer button[name=answer][value='1']").click()

    expect(page.locator("h1")).to_have_text("All 9 pairs are judged")
    assert queue.progress_in(opening.query.pk, annotator) == (9, 9, 0, 0)
    assert RepeatJudgment.objects.count() == 3
    context.close()
