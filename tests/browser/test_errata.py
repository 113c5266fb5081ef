"""An error's way in a browser: a reader reports it, an admin answers it, a version tells of it."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from accounts.models import User
from release.publicity import make_public
from release.services import publish_release
from release.versions.published_files import read_member
from tests.support.judging_page import log_in
from tests.support.release_scenes import a_judged_collection

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]


def test_a_reported_error_is_settled_and_in_the_changelog_of_the_next_version(
    page, new_context, live_server
):
    collection = a_judged_collection()
    first = publish_release(collection=collection, version="1.0")
    make_public(release=first, person=None)
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{live_server.url}/releases/small/1.0/")
    page.get_by_role("link", name="Report an error").click()
    page.get_by_label("Query").fill("q1_method")
    page.get_by_label("Document").fill("d9")
    page.get_by_label("What is wrong?").fill("It is a duplicate.")
    page.get_by_role("button", name="Send the report").click()
    expect(page.get_by_text("is not a document of query")).to_be_visible()
    assert not Axe().run(page).response["violations"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_label("Document").fill("d1")
    page.get_by_role("button", name="Send the report").click()
    expect(page.get_by_role("status").first).to_contain_text("Your report was sent")

    context = new_context()
    log_in(context, live_server, User.objects.get(username="admin"))
    admin = context.new_page()
    admin.goto(f"{live_server.url}/c/small/releases/#errata")
    admin.get_by_role("link", name="1.0-1").click()
    admin.get_by_label("Accept: it is an error").check()
    admin.get_by_label("Public answer").fill("It will be removed.")
    admin.get_by_role("button", name="Answer the report").click()
    expect(admin.get_by_role("status").first).to_contain_text("Report 1.0-1 is answered.")
    page.reload()
    expect(page.get_by_role("region", name="Known errors")).to_contain_text("It will be removed.")

    second = publish_release(collection=collection, version="1.1")
    changelog = read_member(second, "CHANGELOG.md").decode()
    assert "| 1.0-1 | `q1_method` | `d1` | It will be removed. |" in changelog
