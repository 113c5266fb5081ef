"""A judge's browser, as a process: how long from a key to the next pair on the screen.

    python -m bench.judging.key_paint PORT PATH USERNAME PASSWORD KEYS LATENCY

judges KEYS pairs of the query at PATH in Chromium, then as many with LATENCY seconds added to every
request, and prints the seconds of both as JSON. The query needs more pairs left than both.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from bench.chromium import chromium

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


def main(arguments: Sequence[str]) -> None:
    port, path, username, password, keys, latency = arguments
    with started_browser() as browser:
        context = browser.new_context(base_url=f"http://127.0.0.1:{port}")
        page = _workspace(context, path, (username, password))
        near = _painted(page, int(keys))
        network: dict[str, object] = {"offline": False, "latency": 1000 * float(latency)}
        network |= {"downloadThroughput": -1, "uploadThroughput": -1}
        context.new_cdp_session(page).send("Network.emulateNetworkConditions", network)
        far = _painted(page, int(keys))
    sys.stdout.write(json.dumps({"near": near, "far": far}) + "\n")


@contextmanager
def started_browser() -> Iterator[Browser]:
    program = chromium() or sys.exit("no Chromium; install the package chromium or set CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=CHROMIUM_OPTIONS)
        yield browser
        browser.close()


def log_in(context: BrowserContext, account: tuple[str, str]) -> Page:
    """A page of the person with this username and password."""
    page = context.new_page()
    page.goto("/accounts/login/")
    for field, value in zip(("#id_login", "#id_password"), account, strict=True):
        page.fill(field, value)
    page.press("#id_password", "Enter")
    page.wait_for_url(lambda url: "login" not in url)
    return page


def _workspace(context: BrowserContext, path: str, account: tuple[str, str]) -> Page:
    page = log_in(context, account)
    page.goto(path)
    page.wait_for_selector("#pair article")
    page.wait_for_load_state("networkidle")
    page.evaluate(MEASURE)
    return page


def _painted(page: Page, keys: int) -> list[float]:
    page.evaluate("window.painted.length = 0")
    for number in range(keys):
        page.wait_for_timeout(READING_MS)
        page.keyboard.press(str(number % 4))
    page.wait_for_timeout(READING_MS)
    seconds = [ms / 1000 for ms in page.evaluate("window.painted")]
    if len(seconds) != keys:
        sys.exit(f"{keys} keys, but {len(seconds)} pairs were shown")
    return seconds


if __name__ == "__main__":
    main(sys.argv[1:])
