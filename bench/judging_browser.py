"""A judge's browser: how long from a key to the next pair on the screen."""

from __future__ import annotations

import os
import shutil
from typing import Any, NamedTuple

from playwright.sync_api import BrowserContext, Error, Page, sync_playwright

from bench.judging_clients import Refused

CHROMIUM_OPTIONS = ["--no-sandbox", "--disable-gpu", "--no-first-run"]
# static/js/panels.js ignores a key before a pair was shown for 300 ms.
READING_MS = 350
# A frame callback runs before the frame is painted. A message that it posts arrives after that.
MEASURE = """
() => {
  window.painted = [];
  let pressed = 0;
  addEventListener("keydown", (event) => { pressed = event.timeStamp; }, { capture: true });
  const channel = new MessageChannel();
  channel.port1.onmessage = () => window.painted.push(performance.now() - pressed);
  new MutationObserver(() => requestAnimationFrame(() => channel.port2.postMessage(null)))
    .observe(document.getElementById("pair"), { childList: true });
}
"""


class NoBrowser(Exception):
    """This machine has no Chromium."""


class Paints(NamedTuple):
    """Seconds from a key to the painted next pair, without and with latency of the network."""

    near: tuple[float, ...]
    far: tuple[float, ...]


def press_keys(
    port: int, path: str, account: tuple[str, str], *, keys: int, latency: float
) -> Paints:
    """Judge `keys` pairs in Chromium, then as many with `latency` seconds added to each request.

    `path` is that of a query with more pairs left than both. `account` is a name and its password.
    Raises NoBrowser, and Refused if not every key showed another pair.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=CHROMIUM_OPTIONS)
        try:
            context = browser.new_context(base_url=f"http://127.0.0.1:{port}")
            page = _workspace(context, path, account)
            near = _painted(page, keys)
            network: dict[str, Any] = {"offline": False, "latency": 1000 * latency}
            network |= {"downloadThroughput": -1, "uploadThroughput": -1}
            context.new_cdp_session(page).send("Network.emulateNetworkConditions", network)
            return Paints(near, _painted(page, keys))
        except Error as error:
            raise Refused(str(error)) from error
        finally:
            browser.close()


def _chromium() -> str:
    names = [os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"]
    for path in filter(None, map(shutil.which, filter(None, names))):
        return path
    raise NoBrowser("no Chromium; install the package chromium or set CHROMIUM")


def _workspace(context: BrowserContext, path: str, account: tuple[str, str]) -> Page:
    page = context.new_page()
    page.goto("/accounts/login/")
    for field, value in zip(("#id_username", "#id_password"), account, strict=True):
        page.fill(field, value)
    page.press("#id_password", "Enter")
    page.wait_for_url(lambda url: "login" not in url)
    page.goto(path)
    page.wait_for_selector("#pair article")
    page.wait_for_load_state("networkidle")
    page.evaluate(MEASURE)
    return page


def _painted(page: Page, keys: int) -> tuple[float, ...]:
    page.evaluate("window.painted.length = 0")
    for number in range(keys):
        page.wait_for_timeout(READING_MS)
        page.keyboard.press(str(number % 4))
    page.wait_for_timeout(READING_MS)
    seconds = [ms / 1000 for ms in page.evaluate("window.painted")]
    if len(seconds) != keys:
        raise Refused(f"{keys} keys, but {len(seconds)} pairs were shown")
    return tuple(seconds)
