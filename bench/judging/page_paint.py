"""Pages in a browser, as a process: how long until each shows its content.

    python -m bench.judging.page_paint PORT PASSWORD GETS USERNAME=PATH [USERNAME=PATH …]

opens each page GETS times in Chromium, after one visit that fills the cache, and prints as JSON for
each USERNAME=PATH the medians of the seconds from the start of the navigation to the first
contentful paint and to the end of loading, and of the number of elements.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Sequence

from playwright.sync_api import Browser, Page

from bench.judging.key_paint import log_in, started_browser

MEASURE = """
() => {
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  const [navigation] = performance.getEntriesByType("navigation");
  return [paint.startTime / 1000, navigation.loadEventEnd / 1000, document.all.length];
}
"""
PAINTED = """
() => performance.getEntriesByName("first-contentful-paint").length
  && performance.getEntriesByType("navigation")[0].loadEventEnd > 0
"""


def main(arguments: Sequence[str]) -> None:
    port, password, gets, *pages = arguments
    measured = {}
    with started_browser() as browser:
        for entry in pages:
            username, path = entry.split("=", 1)
            page = _logged_in(browser, port, (username, password))
            visits = [_visit(page, path) for _ in range(int(gets) + 1)][1:]
            painted, loaded, elements = (
                statistics.median(column) for column in zip(*visits, strict=True)
            )
            measured[entry] = {"painted": painted, "loaded": loaded, "elements": int(elements)}
            page.context.close()
    sys.stdout.write(json.dumps(measured) + "\n")


def _logged_in(browser: Browser, port: str, account: tuple[str, str]) -> Page:
    context = browser.new_context(
        base_url=f"http://127.0.0.1:{port}", viewport={"width": 1440, "height": 900}
    )
    return log_in(context, account)


def _visit(page: Page, path: str) -> tuple[float, float, int]:
    answer = page.goto(path)
    if answer is None or not answer.ok:
        sys.exit(f"{path}: status {answer and answer.status}")
    page.wait_for_function(PAINTED)
    painted, loaded, elements = page.evaluate(MEASURE)
    return painted, loaded, elements


if __name__ == "__main__":
    main(sys.argv[1:])
