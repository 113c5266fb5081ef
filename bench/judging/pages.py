"""Pages that people open, on the server and in a browser."""

from __future__ import annotations

import statistics

from bench.judging.browser import PATIENCE, Browser, PageTimes, get_page
from bench.judging.goals import ms
from bench.judging.server import WITHOUT_TLS, serving
from bench.judging.setting import Place
from bench.judging.state import PASSWORD, SLUG, usernames
from bench.processes import measured_step
from bench.table import MIB


def measure_pages(place: Place) -> None:
    """Every page of the table, each on a server of its own, so that its memory is its own."""
    size = place.bench.size
    for key, (username, path) in _chosen_pages(place):
        with serving(place.environment, place.log) as server:
            browser = Browser(server.port)
            browser.log_in(username, PASSWORD)
            times = get_page(browser, path, times=size.gets, patience=size.patience)
            place.keep(key, *_page(times, server.largest_worker()))
            browser.close()


def measure_page_paint(place: Place) -> None:
    """The same pages in a browser: the slowest of them, and the one with the most elements."""
    size = place.bench.size
    names = [username_and_path for key, username_and_path in _chosen_pages(place)]
    with serving(place.environment, place.log, WITHOUT_TLS) as server:
        given = [server.port, PASSWORD, size.gets, *("=".join(name) for name in names)]
        shown = measured_step("bench.judging.page_paint", given, {}).values
    slowest = max(shown, key=lambda path: shown[path]["painted"])
    largest = max(shown, key=lambda path: shown[path]["elements"])
    place.keep(
        "page-paint",
        f"{ms(shown[slowest]['painted'])} ms, {shown[largest]['elements']:,} elements",
        f"{len(shown)} pages; slowest {slowest}, loaded after {ms(shown[slowest]['loaded'])} ms; "
        f"largest {largest}",
    )


def _chosen_pages(place: Place) -> list[tuple[str, tuple[str, str]]]:
    """The key of the goal, and who asks for which address, of each page to measure."""
    chosen = place.bench.size.pages
    pages = _pages(place.step("document").values["docno"])
    return [(key, page) for key, page in pages.items() if not chosen or key in chosen]


def _pages(docno: str) -> dict[str, tuple[str, str]]:
    """Who asks for which address, by the key of the goal."""
    annotator, collection = usernames()["annotator"][0], f"/c/{SLUG}/"
    return {
        "home": ("admin1", "/"),
        "collection-admin": ("admin1", collection),
        "collection-annotator": (annotator, collection),
        "collection-adjudicator": ("adjudicator1", collection),
        "board": ("admin1", f"{collection}judging/"),
        "queries": ("admin1", f"{collection}queries/"),
        "pools-page": ("admin1", f"{collection}pools/"),
        "releases": ("admin1", f"{collection}releases/"),
        "agreement-page": ("admin1", f"{collection}agreement/"),
        "adjudicate": ("adjudicator1", f"{collection}adjudicate/"),
        "document": ("admin1", f"{collection}documents/id/{docno}"),
        "judge-list": (annotator, f"{collection}judge/"),
    }


def _page(times: PageTimes, worker: int) -> tuple[str, str]:
    if not times.seconds:
        return f"over {PATIENCE} s", ""
    value = f"{ms(statistics.median(times.seconds))} ms"
    if times.status != 200:
        value = f"status {times.status}"
    note = f"{times.size / 1024:,.0f} KB, worker {worker / MIB:.0f} MiB"
    return value, f"{note}, longest {ms(max(times.seconds))} ms of {len(times.seconds)}"
