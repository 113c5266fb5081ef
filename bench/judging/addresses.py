"""Every page, download and list of the API that a person can open, by the addresses of the URLs.

A new page is measured without a line here, unless its address needs an object of its own.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from bench.judging.browser import Browser
from bench.judging.goals import ms
from bench.judging.jobs import VERSION
from bench.judging.server import serving
from bench.judging.setting import Place
from bench.judging.state import PASSWORD, usernames

GOAL = 0.2  # seconds
SLOWEST = 5
PAGES, DOWNLOADS, API = "all-pages", "downloads", "api"


class Timed(NamedTuple):
    """The kind of an address, its name, who asked, and the seconds that it takes."""

    kind: str
    name: str
    person: str
    seconds: float

    def __str__(self) -> str:
        return f"{self.name} ({self.person}) {ms(self.seconds)} ms"


def measure_addresses(place: Place) -> None:
    """Each address as an admin, an annotator and an adjudicator, where the role may open it."""
    addresses: dict[str, str] = place.step("addresses", VERSION).values["addresses"]
    timed: list[Timed] = []
    for role in ("admin", "annotator", "adjudicator"):
        with serving(place.environment, place.log) as server:
            browser = Browser(server.port)
            browser.log_in(usernames()[role][0], PASSWORD)
            timed += _of_person(browser, role, addresses, place.bench.size.gets)
            browser.close()
    for kind in (PAGES, DOWNLOADS, API):
        place.keep(kind, *figure_of([address for address in timed if address.kind == kind]))


def _of_person(browser: Browser, role: str, addresses: dict[str, str], gets: int) -> list[Timed]:
    """The addresses that answer this person with 200. The first request to each is not timed."""
    timed = []
    for name, path in addresses.items():
        first = browser.open(path)
        if first.status == 200:
            kind = DOWNLOADS if first.is_download else API if path.startswith("/api/v1/") else PAGES
            median = statistics.median(browser.open(path).seconds for _ in range(gets))
            timed.append(Timed(kind, name, role, median))
    return timed


def figure_of(timed: Sequence[Timed]) -> tuple[str, str]:
    """How many addresses are slow, and the slowest; in the note, how many there are."""
    slow = sum(address.seconds > GOAL for address in timed)
    slowest = sorted(timed, key=lambda address: -address.seconds)[:SLOWEST]
    names = {address.name for address in timed}
    note = f"{len(names)} addresses, {len(timed)} with each role that may open them"
    if any(address.kind == DOWNLOADS for address in timed):
        note += f": {', '.join(sorted(names))}"
    return "; ".join([f"{slow} over {ms(GOAL)} ms", *map(str, slowest)]), note
