"""From the key to the next pair on the screen, in headless Chromium."""

from __future__ import annotations

import shutil
from statistics import median

from playwright.sync_api import sync_playwright

# Two frames after the key: by then the first one with the new pair is painted.
MEASURE = """(key) => new Promise((resolve) => {
  const before = document.querySelector('#pair article').dataset.token;
  const began = performance.now();
  document.body.dispatchEvent(new KeyboardEvent('keydown', {key, code: 'Digit' + key, bubbles: true}));
  const look = () => document.querySelector('#pair article').dataset.token === before
    ? requestAnimationFrame(look)
    : requestAnimationFrame(() => resolve(performance.now() - began));
  requestAnimationFrame(look);
})"""


def key_to_paint(port: int, slug: str, session: str, number: int = 40) -> float:
    """Median milliseconds."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        base = f"http://127.0.0.1:{port}"
        context = browser.new_context(base_url=base, viewport={"width": 1366, "height": 768})
        context.add_cookies([{"name": "sessionid", "value": session, "url": base}])
        page = context.new_page()
        page.goto(f"/c/{slug}/judge/")
        page.locator("tbody a").first.click()
        page.wait_for_load_state("networkidle")
        times = [page.evaluate(MEASURE, str(turn % 4)) for turn in range(number)]
        browser.close()
    return median(times)
