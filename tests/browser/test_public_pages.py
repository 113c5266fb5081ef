"""The pages that need no account, in a browser: accessible, without errors, and quick to copy."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from release.publicity import make_public
from release.services import publish_release
from tests.support.judging_page import problems_of
from tests.support.release_scenes import a_judged_collection

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]


@pytest.fixture
def public_page(page, live_server) -> Page:
    release = publish_release(collection=a_judged_collection(), version="1.0")
    make_public(release=release, person=None)
    page.goto(f"{live_server.url}/releases/small/1.0/")
    return page


@pytest.mark.parametrize(
    ("width", "scheme"), [(360, "light"), (1440, "dark"), (360, "dark"), (1440, "light")]
)
def test_the_pages_are_accessible_and_fit_the_screen(public_page, live_server, width, scheme):
    public_page.emulate_media(color_scheme=scheme)
    public_page.set_viewport_size({"width": width, "height": 800})
    problems = []

    for path in ("/releases/small/1.0/", "/releases/", "/accounts/login/", "/no/"):
        public_page.goto(f"{live_server.url}{path}")
        problems += problems_of(public_page, width)

    assert problems == []


def test_the_policy_on_scripts_allows_the_description_of_the_dataset(public_page):
    problems = []
    public_page.on("console", lambda message: problems.append(message.text))
    public_page.reload()

    script = public_page.locator('script[type="application/ld+json"]')
    assert '"@type": "Dataset"' in script.text_content()
    assert problems == []


def test_the_bibtex_entry_can_be_copied(public_page):
    public_page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    public_page.get_by_role("button", name="Copy: BibTeX entry").click()

    expect(public_page.locator('[data-copy="bibtex"]')).to_have_text("Copied")
    assert public_page.evaluate("navigator.clipboard.readText()").startswith("@misc{small-1-0,")
