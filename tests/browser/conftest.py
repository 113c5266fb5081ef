"""People who log in, each in a browser of their own."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.factories import PASSWORD, UserFactory

SECONDS = 60  # what is waited for takes one or two on an idle machine
expect.set_options(timeout=SECONDS * 1000)


@pytest.fixture
def people(transactional_db) -> None:
    UserFactory(username="ada", is_staff=True)
    for username in ("bea", "cid", "dora"):
        UserFactory(username=username)


@pytest.fixture
def visit(browser: Browser, live_server):
    """Log in as this user in a separate browser."""
    contexts = []

    def log_in(username: str) -> Page:
        context = browser.new_context(base_url=live_server.url)
        contexts.append(context)
        context.set_default_timeout(SECONDS * 1000)
        page = context.new_page()
        page.goto("/accounts/login/")
        page.get_by_label("Username").fill(username)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in", exact=True).click()
        expect(page.get_by_role("link", name=username, exact=True)).to_be_visible()
        return page

    yield log_in
    for context in contexts:
        context.close()
