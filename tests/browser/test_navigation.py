"""The head of an admin's pages: search, keys and the menu of collections; tables on a phone."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from accounts.models import Collection, Role, User
from tests.support.factories import DocumentFactory, a_collection, member
from tests.support.judging_page import log_in

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]


@pytest.fixture
def admin(page, live_server) -> Page:
    collection = a_collection()
    member(a_collection("second"), Role.ADJUDICATOR, "admin")
    for number in range(3):
        DocumentFactory(collection=collection, docno=f"d{number}", title="A title of some length")
    log_in(page.context, live_server, User.objects.get(username="admin"))
    page.goto(f"{live_server.url}/c/small/documents/")
    return page


def test_slash_goes_to_the_search_and_enter_finds_the_document(admin):
    admin.keyboard.press("/")
    admin.keyboard.type("d1")
    admin.keyboard.press("Enter")

    expect(admin.get_by_role("link", name="d1")).to_be_visible()


def test_a_question_mark_lists_the_keys_and_escape_closes_them(admin):
    admin.keyboard.press("?")
    expect(admin.get_by_role("dialog", name="Keys")).to_be_visible()

    admin.keyboard.press("Escape")

    expect(admin.get_by_role("dialog", name="Keys")).to_be_hidden()


def test_the_menu_leads_to_another_collection_and_escape_closes_it(admin):
    summary = admin.locator(".topbar details.switcher summary")
    summary.press("Enter")
    other = admin.locator(".popover").get_by_role("link", name="second", exact=False)
    expect(other).to_be_visible()
    assert not Axe().run(admin).response["violations"]

    admin.keyboard.press("Escape")
    expect(other).to_be_hidden()
    expect(summary).to_be_focused()

    summary.press("Enter")
    other.click()
    admin.wait_for_url("**/c/second/")


def test_the_columns_of_a_table_are_chosen_in_a_menu_that_escape_closes(admin):
    columns = admin.locator(".tools summary")
    columns.press("Enter")
    year = admin.get_by_role("checkbox", name="Year")
    expect(year).to_be_visible()
    assert not Axe().run(admin).response["violations"]

    admin.keyboard.press("Escape")
    expect(year).to_be_hidden()
    expect(columns).to_be_focused()

    columns.press("Enter")
    year.uncheck()
    admin.get_by_role("button", name="Save the columns").click()
    expect(admin.get_by_role("columnheader", name="Year")).to_have_count(0)


def test_on_a_phone_a_row_is_a_card_and_nothing_is_wider_than_the_screen(admin):
    admin.set_viewport_size({"width": 360, "height": 740})
    admin.goto(admin.url.replace("documents/", "people/"))

    row = admin.locator("table.as-cards tbody tr").first
    boxes = [cell.bounding_box() for cell in row.locator("> :visible").all()]

    tops = [box["y"] for box in boxes if box]
    assert len(tops) > 1
    assert tops == sorted(set(tops))
    assert admin.evaluate("document.documentElement.scrollWidth") <= 360
    assert not Axe().run(admin).response["violations"]


def test_a_refused_form_keeps_what_was_typed_and_its_summary_leads_to_the_fields(admin):
    admin.goto(admin.url.replace("documents/", "people/"))
    admin.get_by_role("button", name="Create an account").click()
    form = admin.locator("form[action$='people/new/']")
    name = form.get_by_label("Username", exact=False)
    name.fill("two words")
    form.get_by_role("button").last.click()

    summary = admin.locator("main .notice.bad", has_text="Nothing was saved")
    expect(summary).to_be_focused()
    assert not Axe().run(admin).response["violations"]
    admin.reload()
    expect(summary).to_be_focused()
    expect(name).to_have_value("two words")
    summary.get_by_role("link").first.click()
    expect(name).to_be_focused()


def test_on_a_phone_a_card_shows_its_name_and_a_button_shows_the_rest(admin):
    admin.set_viewport_size({"width": 390, "height": 740})
    admin.reload()
    row = admin.locator("table.as-cards tbody tr").first
    docno = row.locator("td.wide-only").first
    expect(docno).to_be_hidden()

    more = row.get_by_role("button", name="More about")
    more.press("Enter")

    expect(docno).to_be_visible()
    expect(more).to_have_attribute("aria-expanded", "true")
    assert not Axe().run(admin).response["violations"]


def test_on_a_phone_a_long_table_shows_its_first_cards_and_a_button_shows_the_rest(admin):
    collection = Collection.objects.get(slug="small")
    for number in range(3, 40):
        DocumentFactory(collection=collection, docno=f"d{number}")
    admin.set_viewport_size({"width": 390, "height": 740})
    admin.reload()
    rows = admin.locator("table.as-cards tbody tr")
    expect(rows.nth(24)).to_be_visible()
    expect(rows.nth(25)).to_be_hidden()

    admin.get_by_role("button", name="Show 15 more").press("Enter")

    expect(rows.nth(39)).to_be_visible()
    expect(rows.nth(25).get_by_role("link")).to_be_focused()
