"""What a stranger sees of a request, and what it costs: to compare two that must look the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from django.contrib.auth.hashers import BasePasswordHasher
from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext

PASSWORD_HASHERS = ["tests.support.observed_requests.CountingHasher"]
OF_EACH_REQUEST = ("X-Request-ID", "Expires")  # differ between two requests of the same
HASHED = "counting$salt$hash"  # a stored password that no other fits


class CountingHasher(BasePasswordHasher):
    algorithm = "counting"
    hashes = 0

    def encode(self, password, salt):
        type(self).hashes += 1
        return f"{self.algorithm}${salt}$other"

    def decode(self, encoded):
        algorithm, salt, digest = encoded.split("$", 2)
        return {"algorithm": algorithm, "salt": salt, "hash": digest}

    def verify(self, password, encoded):
        return self.encode(password, self.decode(encoded)["salt"]) == encoded

    def harden_runtime(self, password, encoded):
        pass


class Observed(NamedTuple):
    status: int
    headers: dict[str, str]
    body: str
    statements: list[str]
    hashes: int


def observe(send: Callable[[], HttpResponse], *own_words: str) -> Observed:
    """Send the request. `own_words` are those that it sent itself, such as a username."""
    before = CountingHasher.hashes
    with CaptureQueriesContext(connection) as captured:
        answer = send()
    headers = {
        name: _plain(value, own_words)
        for name, value in answer.headers.items()
        if name not in OF_EACH_REQUEST
    }
    return Observed(
        answer.status_code,
        headers,
        _plain(answer.text, own_words),
        [_shape(query["sql"]) for query in captured.captured_queries],
        CountingHasher.hashes - before,
    )


def _plain(text: str, own_words: tuple[str, ...]) -> str:
    for word in own_words:
        text = text.replace(word, "…")
    return re.sub(r"\b[0-9A-Za-z]{64}\b", "…", text)  # a CSRF token


def _shape(sql: str) -> str:
    """The statement without its values, which Django prints in it."""
    return re.sub(r"'(?:[^']|'')*'|\b\d+\b|\bNULL\b", "?", sql)
