"""Clients of a running server: they ask for what a browser asks for, over real connections.

Standard library only, because a client must not take the processor from the server it measures.
"""

from __future__ import annotations

import html
import http.client
import re
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from urllib.parse import quote, urlencode, urlsplit

PATIENCE = 60  # seconds for an answer
# As static/js/ahead.js has them.
WANTED, SPARE, LONGEST_ADDRESS = 50, 10, 3_500

ARTICLE = re.compile(r'<article\s+class="pair"(.*?)>', re.DOTALL)
ATTRIBUTE = re.compile(r'data-([a-z-]+)="([^"]*)"')
PARTIAL_HEADERS = {"HX-Request": "true"}


class Refused(Exception):
    """The server gave another answer than the one that the client needs."""


@dataclass(frozen=True)
class Answer:
    """An answer, the seconds it took, and the address it came from at last."""

    status: int
    text: str
    seconds: float
    path: str
    size: int  # bytes of the body

    def values(self, name: str) -> list[str]:
        """Every value of a data attribute, in the order of the page."""
        found = ATTRIBUTE.findall(self.text)
        return [html.unescape(value) for attribute, value in found if attribute == name]


class Browser:
    """One person's connection, with the cookies of a session."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}
        self._link: http.client.HTTPConnection | None = None

    def get(self, path: str, headers: dict[str, str] | None = None) -> Answer:
        """Follows redirects. The seconds are of all requests together."""
        return self._ask("GET", path, None, headers or {})

    def post(self, path: str, fields: dict[str, str], headers: dict[str, str]) -> Answer:
        form = {"Content-Type": "application/x-www-form-urlencoded;charset=UTF-8"}
        return self.post_text(path, urlencode(fields), {**form, **headers})

    def post_text(self, path: str, body: str, headers: dict[str, str]) -> Answer:
        return self._ask("POST", path, body, headers)

    def log_in(self, username: str, password: str) -> None:
        """Log in, and go to the account page, whose size does not depend on any collection."""
        self.get("/accounts/login/")
        fields = {"username": username, "password": password, "next": "/account/", **self.token()}
        if "sessionid" not in self.cookies:
            self.post("/accounts/login/", fields, {})
        if "sessionid" not in self.cookies:
            raise Refused(f"{username} cannot log in")

    def token(self) -> dict[str, str]:
        return {"csrfmiddlewaretoken": self.cookies.get("csrftoken", "")}

    def close(self) -> None:
        if self._link:
            self._link.close()
        self._link = None

    def _ask(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
        start = time.perf_counter()
        while True:
            response, content = self._once(method, path, body, headers)
            location = response.headers.get("Location")
            if response.status not in (301, 302, 303) or not location:
                break
            parts = urlsplit(location)
            path = f"{parts.path}?{parts.query}" if parts.query else parts.path
            method, body = "GET", None
        seconds = time.perf_counter() - start
        return Answer(response.status, content.decode(), seconds, path, len(content))

    def _once(
        self, method: str, path: str, body: str | None, headers: dict[str, str]
    ) -> tuple[http.client.HTTPResponse, bytes]:
        for attempt in (1, 2):
            reused = self._link is not None
            try:
                return self._send(method, path, body, headers)
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                self.close()
                # A kept connection may have been closed by the server, as a browser knows.
                if not reused or attempt == 2:
                    raise
        raise AssertionError("unreachable")

    def _send(
        self, method: str, path: str, body: str | None, headers: dict[str, str]
    ) -> tuple[http.client.HTTPResponse, bytes]:
        if self._link is None:
            self._link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        sent = {
            "Host": f"127.0.0.1:{self.port}",
            "Referer": f"https://127.0.0.1:{self.port}/",
            # What the proxy before a server adds.
            "X-Forwarded-Proto": "https",
            "X-Forwarded-For": "127.0.0.1",
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            **headers,
        }
        self._link.request(method, path, body, sent)
        response = self._link.getresponse()
        content = response.read()
        for line in response.headers.get_all("Set-Cookie") or []:
            for name, morsel in SimpleCookie(line).items():
                self.cookies[name] = morsel.value
        if response.will_close:
            self.close()
        return response, content


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
    problems: list[str] = field(default_factory=list)
    _pairs: list[dict[str, str]] = field(default_factory=list)
    _complete: bool = False
    _person: str = ""
    _ahead_url: str = ""

    def judge(self, enough: Callable[[int], bool]) -> None:
        """Judge until `enough`, given the number of keys pressed, or until no pair is left."""
        while not enough(len(self.keys)) and self._open():
            while self._pairs and not enough(len(self.keys)):
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
) -> Judging:
    """Let annotators judge at full speed, each on a connection of their own.

    They log in first and then begin together. They end after `seconds`, after `most` keys each, or
    when no pair is left to them.
    """
    annotators = [Annotator(Browser(port), collection) for _ in usernames]
    for annotator, username in zip(annotators, usernames, strict=True):
        annotator.browser.log_in(username, password)
    began = time.perf_counter()
    ends = began + seconds

    def enough(keys: int) -> bool:
        return keys >= most or time.perf_counter() >= ends

    threads = [
        threading.Thread(target=_until_it_fails, args=(annotator, enough))
        for annotator in annotators
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - began
    for annotator in annotators:
        annotator.browser.close()
    return Judging(
        tuple(key for annotator in annotators for key in annotator.keys),
        tuple(fetch for annotator in annotators for fetch in annotator.fetches),
        took,
        tuple(problem for annotator in annotators for problem in annotator.problems),
    )


def _until_it_fails(annotator: Annotator, enough: Callable[[int], bool]) -> None:
    try:
        annotator.judge(enough)
    except (OSError, http.client.HTTPException, Refused) as error:
        annotator.problems.append(f"{type(error).__name__}: {error}")


@dataclass(frozen=True)
class PageTimes:
    """Several requests for one page; no seconds where the server did not answer in time."""

    seconds: tuple[float, ...]
    size: int
    status: int


def get_page(browser: Browser, path: str, *, times: int, patience: float) -> PageTimes:
    """Get a page again and again, after one request that is not counted.

    A page that takes long is asked for less often: no more once `patience` seconds are over.
    """
    try:
        answers = list(_answers(browser, path, times + 1, patience))
    except TimeoutError:
        return PageTimes((), 0, 0)
    counted = answers[1:] or answers
    return PageTimes(
        tuple(answer.seconds for answer in counted), answers[-1].size, answers[-1].status
    )


def _answers(browser: Browser, path: str, times: int, patience: float) -> Iterator[Answer]:
    start = time.perf_counter()
    for number in range(times):
        if number and time.perf_counter() - start > patience:
            return
        yield browser.get(path)
