"""An empty collection in a browser: the checklist, its files, and the commands beside the forms."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from accounts.models import Collection, User
from tests.support.factories import a_collection
from tests.support.judging_page import log_in, problems_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]


@pytest.fixture
def admin(page, live_server) -> Page:
    a_collection()
    User.objects.filter(username="admin").update(is_staff=True)
    log_in(page.context, live_server, User.objects.get(username="admin"))
    page.goto(f"{live_server.url}/c/small/")
    return page


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1440, "light")])
def test_the_pages_are_accessible_and_fit_the_screen(admin, live_server, width, scheme):
    admin.emulate_media(color_scheme=scheme)
    admin.set_viewport_size({"width": width, "height": 800})
    problems = []

    for path in ("", "documents/import/", "queries/add/", "runs/add/"):
        admin.goto(f"{live_server.url}/c/small/{path}")
        problems += problems_of(admin, width)

    assert problems == []


def test_a_sample_file_can_be_downloaded_under_its_name(admin):
    with admin.expect_download() as download:
        admin.get_by_role("link", name="documents.jsonl").click()

    assert download.value.suggested_filename == "documents.jsonl"


def test_the_home_page_fits_a_phone_and_creates_a_sample_collection(admin, live_server):
    a_collection("other")
    admin.set_viewport_size({"width": 360, "height": 740})
    admin.goto(live_server.url)
    assert admin.evaluate("document.documentElement.scrollWidth") <= 360

    admin.get_by_role("button", name="Try with sample data").click()

    expect(admin.get_by_role("heading", name="Add the sample data")).to_be_visible()
    assert Collection.objects.get(slug="sample").jobs.get().kind == "load_sample"
