"""The plan of the pools follows the form, and a file can be dropped on a form."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from pooling.models import LastPlan
from tests.support.judging_page import log_in, problems_of
from tests.support.pooling_scenes import a_listed_collection

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]

DROP = """(zone, name) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File(["x".repeat(2000)], name));
  for (const type of ["dragover", "drop"]) {
    zone.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  }
}"""


@pytest.fixture
def admin(page, live_server) -> Page:
    a_listed_collection()
    log_in(page.context, live_server, User.objects.get(username="admin"))
    page.goto(f"{live_server.url}/c/small/pools/plan/?runs=up&runs=down")
    return page


def test_the_panel_follows_every_change_and_saves_nothing(admin):
    panel = admin.get_by_role("complementary", name="Size and cost")
    admin.get_by_label("n", exact=True).first.fill("1")
    expect(panel).to_contain_text("4 documents")

    admin.get_by_label("down", exact=True).uncheck()
    expect(panel).to_contain_text("3 documents")
    expect(panel.get_by_role("row", name="down")).to_have_count(0)

    admin.get_by_label("Cost of an hour").fill("3600")
    expect(panel).to_contain_text("At 3,600 an hour")
    assert not LastPlan.objects.exists()


def test_only_the_parameters_of_the_chosen_strategy_are_shown(admin):
    expect(admin.locator("input[name=interleaved-n]")).to_be_visible()
    expect(admin.locator("input[name=depth_k-k]")).to_be_hidden()
    expect(admin.get_by_label("Ids", exact=True)).to_be_hidden()

    admin.locator(".strategy svg").nth(2).click()
    admin.get_by_label("Only these").check()

    expect(admin.locator("input[name=interleaved-n]")).to_be_hidden()
    expect(admin.locator("input[name=depth_k-k]")).to_be_visible()
    expect(admin.get_by_label("Ids", exact=True)).to_be_visible()


def test_enter_calculates_and_does_not_build(admin):
    admin.locator("input[name=interleaved-n]").fill("2")
    admin.keyboard.press("Enter")

    expect(admin.get_by_text("This is the last plan")).to_be_visible()
    expect(admin.locator("input[name=interleaved-n]")).to_have_value("2")


def test_the_plan_is_accessible_and_fits_the_screen(admin):
    problems = []

    for width in (1440, 390):
        admin.set_viewport_size({"width": width, "height": 900})
        problems += problems_of(admin, width)

    assert problems == []


def test_a_dropped_file_is_chosen_and_its_size_is_shown(admin, live_server):
    admin.goto(f"{live_server.url}/c/small/documents/import/")

    admin.locator(".drop").evaluate(DROP, "corpus.jsonl")

    chosen = "input => input.files[0].name"
    assert admin.locator("input[type=file]").evaluate(chosen) == "corpus.jsonl"
    expect(admin.locator(".drop output")).to_have_text("2 kB.")


def test_a_file_that_is_too_large_is_refused_before_the_upload(admin, live_server, settings):
    settings.MAX_UPLOAD_BYTES = 1000
    admin.goto(f"{live_server.url}/c/small/documents/import/")

    admin.locator(".drop").evaluate(DROP, "corpus.jsonl")
    admin.get_by_role("button", name="Import the file").click()

    expect(admin.locator(".drop output")).to_have_text("2 kB. This file is too large.")
    assert admin.url.endswith("/documents/import/")
    assert not admin.locator("input[type=file]").evaluate("input => input.checkValidity()")
