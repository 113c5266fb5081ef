"""The pages that need no account, in a browser: accessible, without errors, and quick to copy."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from release.publicity import make_public
from release.services import publish_release
from tests.support.release_scenes import a_judged_collection

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(2),
]


@pytest.fixture
def public_page(page, live_server) -> Page:
    release = publish_release(collection=a_judged_collection(), version="1.0")
    make_public(release=release, person=None)
    page.goto(f"{live_server.url}/releases/small/1.0/")
    return page


@pytest.mark.parametrize("path", ["/releases/small/1.0/", "/releases/", "/accounts/login/", "/no/"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
def test_the_page_is_accessible_and_fits_the_screen(public_page, live_server, path, scheme, width):
    public_page.emulate_media(color_scheme=scheme)
    public_page.set_viewport_size({"width": width, "height": 800})
    public_page.goto(f"{live_server.url}{path}")

    assert not Axe().run(public_page).response["violations"]
    assert public_page.evaluate("document.documentElement.scrollWidth") <= width


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
