"""What the browser tests of judging and settling share."""

from __future__ import annotations

import time
from collections.abc import Callable

from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import BrowserContext, Page, expect

# Longer than a fresh pair ignores keys for.
READING = 350


def log_in(context: BrowserContext, live_server, user) -> None:
    client = Client()
    client.force_login(user)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value}
    context.add_cookies([{**cookie, "url": live_server.url}])


def log_out(context: BrowserContext) -> None:
    context.clear_cookies(name="sessionid")


def read_and_press(page: Page, *keys: str) -> None:
    for key in keys:
        page.wait_for_timeout(READING)
        page.keyboard.press(key)


def eventually(page: Page, what: Callable[[], object], seconds: float = 15) -> None:
    """Wait while the page goes on; fail when it does not come true."""
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "not within the time"
        page.wait_for_timeout(50)


def shown(page: Page) -> str | None:
    return page.locator("#pair article").get_attribute("data-token")


def expect_pair(page: Page, slot) -> None:
    expect(page.locator("#pair article")).to_have_attribute("data-token", slot.pair.token)


def assert_accessible(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    assert not found, [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found]
