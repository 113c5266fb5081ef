"""Annotators who ask a running server for what the judging page asks for.

Standard library only, because a client must not take the processor from the server it measures.
"""

from __future__ import annotations

import html
import http.client
import re
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from urllib.parse import quote

from bench.judging.browser import ATTRIBUTE, Answer, Browser, Refused

# As static/js/ahead.js has them.
WANTED, SPARE, LONGEST_ADDRESS = 50, 10, 3_500

ARTICLE = re.compile(r'<article\s+class="pair"(.*?)>', re.DOTALL)
PARTIAL_HEADERS = {"HX-Request": "true"}


@dataclass(frozen=True)
class Key:
    """One key press: seconds of the save, and of fetching pairs ahead where that was due."""

    save: float
    ahead: float

    @property
    def both(self) -> float:
        return self.save + self.ahead


@dataclass
class Annotator:
    """An annotator who judges as fast as the server responds, as static/js/judging.js does it.

    An answer is sent as a form whose answer is JSON; the next pairs are fetched before they are
    needed, many at a time, so that most keys cost one request.
    """

    browser: Browser
    collection: str  # the slug
    keys: list[Key] = field(default_factory=list)
    fetches: list[float] = field(default_factory=list)  # seconds of each request for pairs ahead
    openings: list[float] = field(default_factory=list)  # seconds from the list to the first pair
    problems: list[str] = field(default_factory=list)
    most_of_opening: int = 10**9  # keys after which the query is opened again
    _pairs: list[dict[str, str]] = field(default_factory=list)
    _complete: bool = False
    _person: str = ""
    _ahead_url: str = ""

    def judge(self, enough: Callable[[int], bool]) -> None:
        """Judge until `enough`, given the number of keys pressed, or until no pair is left."""
        while not enough(len(self.keys)) and self._open():
            last = len(self.keys) + self.most_of_opening
            while self._pairs and len(self.keys) < last and not enough(len(self.keys)):
                self._press(self._pairs.pop(0))

    def _open(self) -> bool:
        """Open the query to continue with. False if every pair is judged."""
        listed = self.browser.get(f"/c/{self.collection}/judge/")
        waiting = re.search(r'class="button primary"\s+href="([^"]+)"', listed.text)
        if not waiting:
            return False
        page = self.browser.get(html.unescape(waiting[1]))
        self._pairs = _pairs_of(page)
        if not self._pairs:
            raise Refused(f"{page.status} without a pair from {page.path}")
        self.openings.append(listed.seconds + page.seconds)
        (self._person,) = page.values("person")[:1]
        (self._ahead_url,) = page.values("ahead-url")[:1]
        self._complete = False
        while not self._complete and len(self._pairs) <= WANTED:
            self._fetch(None)
        return True

    def _press(self, pair: dict[str, str]) -> None:
        key = str(uuid.uuid4())
        fields = {
            "presentation": pair["presentation"],
            "supersedes": pair["supersedes"],
            "key": key,
            "note": "",
            "answer": str(len(self.keys) % 4),
            "person": self._person,
            "seconds": "4.0",
        }
        headers = {"Accept": "application/json", "X-CSRFToken": self.browser.cookies["csrftoken"]}
        saved = self.browser.post(pair["url"], fields, headers)
        if saved.status != 200 or key not in saved.text:
            self.problems.append(f"{saved.status} {saved.text[:200]}")
        ahead = 0.0
        while not self._complete and len(self._pairs) < WANTED:
            ahead += self._fetch(pair)
        self.keys.append(Key(saved.seconds, ahead))

    def _fetch(self, judged: dict[str, str] | None) -> float:
        """Fetch pairs ahead; the seconds it took."""
        without = [judged, *self._pairs] if judged else self._pairs
        tokens = ",".join(pair["token"] for pair in without)
        tokens = tokens[: LONGEST_ADDRESS - len(self._ahead_url)].rpartition(",")[0] or tokens
        headers = {**PARTIAL_HEADERS, "Qrelsmith-Person": self._person}
        count = max(WANTED + SPARE - len(self._pairs), 1)
        address = f"{self._ahead_url}?count={count}&without={quote(tokens)}"
        found = self.browser.get(address, headers)
        self.fetches.append(found.seconds)
        known = {pair["token"] for pair in without}
        fresh = [pair for pair in _pairs_of(found) if pair["token"] not in known]
        self._complete = not fresh or bool(found.values("last"))
        self._pairs += fresh
        return found.seconds


def _pairs_of(page: Answer) -> list[dict[str, str]]:
    return [
        {name: html.unescape(value) for name, value in ATTRIBUTE.findall(attributes)}
        for attributes in ARTICLE.findall(page.text)
    ]


@dataclass(frozen=True)
class Judging:
    """What some annotators did together; `seconds` is from the first key to the last."""

    keys: tuple[Key, ...]
    fetches: tuple[float, ...]
    openings: tuple[float, ...]
    seconds: float
    problems: tuple[str, ...]

    @property
    def per_second(self) -> float:
        return len(self.keys) / self.seconds if self.seconds else 0.0

    @property
    def longest_wait(self) -> float:
        return max((*(key.save for key in self.keys), *self.fetches), default=0.0)


def judge_together(
    port: int,
    usernames: Sequence[str],
    password: str,
    collection: str,
    *,
    seconds: float,
    most: int = 10**9,
    most_of_opening: int = 10**9,
    until: Callable[[], bool] = lambda: False,
    substitutes: Sequence[str] = (),
) -> Judging:
    """Let annotators judge at full speed, each on a connection of their own.

    They log in first and then begin together. They end after `seconds`, after `most` keys each,
    when `until` is true, or when no pair is left to them and no substitute is left, either.
    """
    annotators = [
        Annotator(Browser(port), collection, most_of_opening=most_of_opening) for _ in usernames
    ]
    for annotator, username in zip(annotators, usernames, strict=True):
        annotator.browser.log_in(username, password)
    waiting = SimpleQueue[str]()
    for username in substitutes:
        waiting.put(username)
    began = time.perf_counter()
    ends = began + seconds

    def enough(keys: int) -> bool:
        return keys >= most or time.perf_counter() >= ends or until()

    in_threads(
        partial(_judge_in_turn, annotator, enough, waiting, password) for annotator in annotators
    )
    took = time.perf_counter() - began
    for annotator in annotators:
        annotator.browser.close()
    return Judging(
        tuple(key for annotator in annotators for key in annotator.keys),
        tuple(fetch for annotator in annotators for fetch in annotator.fetches),
        tuple(opening for annotator in annotators for opening in annotator.openings),
        took,
        tuple(problem for annotator in annotators for problem in annotator.problems),
    )


def in_threads(tasks: Iterable[Callable[[], None]]) -> None:
    """Run the tasks at the same time, and wait for all of them."""
    threads = [threading.Thread(target=task) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _judge_in_turn(
    annotator: Annotator, enough: Callable[[int], bool], waiting: SimpleQueue[str], password: str
) -> None:
    """Judge; once no pair is left, go on as the next person who waits."""
    try:
        annotator.judge(enough)
        while not enough(len(annotator.keys)):
            username = waiting.get_nowait()
            annotator.browser.close()
            annotator.browser = Browser(annotator.browser.port)
            annotator.browser.log_in(username, password)
            annotator.judge(enough)
    except Empty:
        return
    except (OSError, http.client.HTTPException, Refused) as error:
        annotator.problems.append(f"{type(error).__name__}: {error}")
