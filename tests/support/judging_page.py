"""What the browser tests of judging and deciding share."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.support.factories import a_collection, an_open_query
from tests.support.sittings import query_url, slots_of

# Longer than a fresh pair ignores keys for.
READING = 350


def log_in(context: BrowserContext, live_server, user) -> None:
    client = Client()
    client.force_login(user)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value}
    context.add_cookies([{**cookie, "url": live_server.url}])


def log_out(context: BrowserContext) -> None:
    context.clear_cookies(name="sessionid")


def block_storage(context: BrowserContext) -> None:
    """As a browser that is told to keep no data of sites: reading `localStorage` itself throws."""
    context.add_init_script(
        """for (const name of ["localStorage", "sessionStorage"]) {
          Object.defineProperty(window, name, {
            get() { throw new DOMException("Access is denied.", "SecurityError"); },
          });
        }"""
    )


def read_and_press(page: Page, *keys: str) -> None:
    """Press each key as a person does, who presses again when the page says it ignored a press."""
    for key in keys:
        page.wait_for_load_state()  # The scripts have run.
        page.wait_for_timeout(READING)
        page.keyboard.press(key)
        if page.locator("#last.ignored").count():
            page.wait_for_timeout(READING)
            page.keyboard.press(key)


# What may answer in the server's place, and what the page then says of it.
NOT_OURS: dict[str, tuple[dict[str, Any], str]] = {
    "a maintenance page": (
        {"status": 200, "content_type": "text/html", "body": "<h1>Down for maintenance</h1>"},
        "Something else answered in place of the server (status 200)",
    ),
    "JSON without the key": (
        {"status": 200, "json": {"judged": 1, "total": 9, "next": "/"}},
        "Something else answered in place of the server (status 200)",
    ),
    "JSON with another key": (
        {"status": 200, "json": {"key": "0", "judged": 1, "total": 9, "next": "/"}},
        "Something else answered in place of the server (status 200)",
    ),
    "a broken JSON": (
        {"status": 200, "content_type": "application/json", "body": "{"},
        "Something else answered in place of the server (status 200)",
    ),
    "an empty answer": ({"status": 204}, "in place of the server (status 204)"),
    "a firewall": (
        {"status": 403, "content_type": "text/html", "body": "<h1>Blocked</h1>"},
        "Something else answered in place of the server (status 403)",
    ),
    "an error of a proxy in JSON": (
        {"status": 400, "json": {"error": "bad_request", "message": "No."}},
        "Something else answered in place of the server (status 400)",
    ),
    "a wrong route": (
        {"status": 404, "content_type": "text/html", "body": "<h1>Not found</h1>"},
        "Something else answered in place of the server (status 404)",
    ),
    "a limit of size": (
        {"status": 413, "content_type": "text/html", "body": "<h1>Too large</h1>"},
        "Something else answered in place of the server (status 413)",
    ),
    "a slow proxy": ({"status": 408}, "The server cannot save just now (error 408)"),
    "a limit of requests": ({"status": 429}, "The server cannot save just now (error 429)"),
    "a gateway": (
        {"status": 502, "content_type": "text/html", "body": "<h1>Bad gateway</h1>"},
        "The server cannot save just now (error 502)",
    ),
    "the login page of a portal": (
        {"status": 302, "headers": {"location": "http://portal.test/login"}},
        "This network may want you to log in to it",
    ),
}


@contextmanager
def answered_by_another(page: Page, answer: dict[str, Any]) -> Iterator[None]:
    """Whatever the page sends is answered so, and never reaches the server."""

    def answer_posts(route: Route) -> None:
        if route.request.method == "POST":
            route.fulfill(**answer)
        else:
            route.fallback()

    page.route("**/c/**", answer_posts)
    yield
    page.unroute("**/c/**", answer_posts)


def retry_now(page: Page) -> None:
    """As when the window gets the focus again."""
    page.evaluate("dispatchEvent(new Event('focus'))")


def stop_time(page: Page) -> None:
    """From the next page load, time passes in this page by `page.clock` alone."""
    page.clock.install(time=1_000_000)
    page.clock.pause_at(1_001_000)


def press_after(page: Page, milliseconds: int, key: str) -> None:
    page.clock.run_for(milliseconds)
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
    assert not violations(page)


def violations(page: Page, rules: Sequence[str] = ()) -> list[str]:
    """What axe finds by these rules, or by all: the rule and the elements."""
    options = {"runOnly": list(rules)} if rules else None
    found = Axe().run(page, options=options).response["violations"]
    return [f"{rule['id']}: {[node['html'] for node in rule['nodes']]}" for rule in found]


def problems_of(page: Page, width: int, rules: Sequence[str] = ()) -> list[str]:
    """What axe finds wrong with the page at this width, by these rules or by all."""
    problems = violations(page, rules)
    if page.evaluate("document.documentElement.scrollWidth") > width:
        problems.append("wider than the screen")
    return [f"{page.url} at {width}: {problem}" for problem in problems]


# The workspace of one annotator, opened at the first pair. A test module takes these fixtures over
# with `size, opening, slots, annotator, start, page = WORKSPACE_FIXTURES`. In a conftest.py, `page`
# would replace Playwright's in the tests of adjudication, too.


@pytest.fixture
def size():
    return 9


@pytest.fixture
def opening(size):
    return an_open_query(a_collection(), size=size)


@pytest.fixture
def slots(opening):
    return slots_of(opening, "ann1")


@pytest.fixture
def annotator(opening):
    return opening.seats.get(number=1).annotator


@pytest.fixture
def start(context, live_server, opening, annotator):
    """Open the workspace, or another page, in a new tab, where time may stand still."""
    log_in(context, live_server, annotator)

    def open_tab(path=None, *, stopped=False):
        page = context.new_page()
        if stopped:
            stop_time(page)
        page.goto(live_server.url + (path or query_url(opening)))
        page.wait_for_load_state("networkidle")
        return page

    return open_tab


@pytest.fixture
def page(start, slots):
    page = start()
    expect_pair(page, slots[0])
    return page


WORKSPACE_FIXTURES = (size, opening, slots, annotator, start, page)
