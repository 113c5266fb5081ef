"""A grade that the marked steps suggest, in a real browser: after the own one, by keys alone."""

import pytest
from playwright.sync_api import expect

from annotation.models import Judgment
from tests.support.aspects import a_proposing_collection, an_open_query_with_steps
from tests.support.judging_page import (
    WORKSPACE_FIXTURES,
    assert_accessible,
    eventually,
    expect_pair,
    read_and_press,
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]

size, _, slots, annotator, start, page = WORKSPACE_FIXTURES


@pytest.fixture
def opening(size):
    return an_open_query_with_steps(a_proposing_collection(), size)


def stored() -> list[tuple[int, list[int], int | None]]:
    rows = Judgment.objects.order_by("pk")
    return list(rows.values_list("grade", "aspects", "details_alike", "proposed_grade"))


def test_a_proposal_is_answered_by_keyboard_alone(page, slots):
    read_and_press(page, "Shift+Digit1", "Shift+Digit2", "1")
    expect(page.locator("#question")).to_contain_text("They suggest 2")
    assert stored() == [(1, [1, 2], False, 2)]
    assert_accessible(page)
    read_and_press(page, "k")

    expect_pair(page, slots[1])
    eventually(page, lambda: len(stored()) == 2)
    read_and_press(page, "Shift+Digit1", "Shift+Digit2", "Shift+Digit3", "Shift+Digit0", "3")
    expect_pair(page, slots[2])  # the steps suggest the same
    assert stored() == [(1, [1, 2], False, 2), (1, [1, 2], False, None), (3, [1, 2, 3], True, 3)]
