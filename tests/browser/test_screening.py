"""Screening in a real browser: papers one after the other by keyboard, also without the network."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from accounts.models import Role
from curation.models import Screening
from curation.samples.services import SamplePlan, draw_sample
from jobs.context import DirectRun
from tests.support.factories import DocumentFactory, a_collection, member
from tests.support.judging_page import assert_accessible, log_in, read_and_press

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]


def test_papers_are_screened_by_keyboard_and_a_failed_save_is_kept(page, context, live_server):
    collection = a_collection()
    DocumentFactory.create_batch(2, collection=collection)
    cora = member(collection, Role.CURATOR, "cora")
    draw_sample(collection=collection, name="all", plan=SamplePlan((), 2), work=DirectRun())
    log_in(context, live_server, cora)
    papers = [
        live_server.url + reverse("screen-paper", args=["small", "all", place]) for place in (1, 2)
    ]
    page.goto(live_server.url + reverse("screen-sample", args=["small", "all"]))
    assert_accessible(page)

    read_and_press(page, "Enter")  # without a type: the browser puts the focus on the first one
    expect(page.locator("input[name=paper_type]:focus")).to_have_count(1)
    for key in "t4bm":
        page.keyboard.press(key)
    page.reload()
    page.keyboard.press("b")
    page.keyboard.press("n")
    page.keyboard.type("a 5")
    page.keyboard.press("Escape")
    read_and_press(page, "Enter")
    page.wait_for_url(papers[1])
    context.set_offline(True)
    for key in ("s", "1"):
        page.keyboard.press(key)
    read_and_press(page, "Enter")
    expect(page.locator("#trouble")).to_contain_text("1 screening is not saved yet")
    context.set_offline(False)
    page.wait_for_url(live_server.url + reverse("screen-mine", args=["small", "all"]))

    rows = Screening.objects.order_by("paper__position")
    assert list(rows.values_list("paper_type__key", "facets", "rating", "reason")) == [
        ("theoretical", ["method"], 4, "a 5"),
        ("survey", [], 1, ""),
    ]
    page.goto(papers[1])
    page.keyboard.press("u")
    page.wait_for_url(papers[0])
    expect(page.get_by_label("4", exact=True)).to_be_checked()
    page.keyboard.press("Escape")
    page.wait_for_url(live_server.url + reverse("screen-mine", args=["small", "all"]))
