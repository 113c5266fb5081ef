"""A browser's connection to a running server, with real requests.

Standard library only, because a client must not take the processor from the server it measures.
"""

from __future__ import annotations

import html
import http.client
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

PATIENCE = 60  # seconds for an answer
ATTRIBUTE = re.compile(r'data-([a-z-]+)="([^"]*)"')


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


class Opened(NamedTuple):
    """The status of an address, and seconds to its end, or to the first byte of a download."""

    status: int
    is_download: bool
    seconds: float


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
        fields = {"login": username, "password": password, "next": "/account/", **self.token()}
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
        response = self._respond(method, path, body, headers)
        content = response.read()
        for line in response.headers.get_all("Set-Cookie") or []:
            for name, morsel in SimpleCookie(line).items():
                self.cookies[name] = morsel.value
        if response.will_close:
            self.close()
        return response, content

    def _respond(
        self, method: str, path: str, body: str | None, headers: dict[str, str]
    ) -> http.client.HTTPResponse:
        """The response whose headers have come, but not yet its body."""
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
        return self._link.getresponse()

    def download(self, path: str) -> bytes:
        """The content of a file. Raises Refused for any other status than 200."""
        response, content = self._once("GET", path, None, {})
        if response.status != 200:
            raise Refused(f"{response.status} from {path}")
        return content

    def open(self, path: str) -> Opened:
        """Get a page or the first byte of a download. Follows no redirect."""
        self.close()
        start = time.perf_counter()
        response = self._respond("GET", path, None, {})
        is_download = response.headers.get("Content-Disposition", "").startswith("attachment")
        response.read(1 if is_download else None)
        seconds = time.perf_counter() - start
        self.close()
        return Opened(response.status, is_download, seconds)


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
