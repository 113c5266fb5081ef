"""Requests of a person within this process, through all middleware and without a server."""

from __future__ import annotations

import html
import io
import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, NamedTuple, cast
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest
from django.db import connection, transaction
from django.http import HttpResponse, StreamingHttpResponse

from accounts.models import User
from database.consistent_reads import consistent_read

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# The token against forged requests. A digest, of lower-case hexadecimal digits, is none.
CSRF_TOKEN = re.compile(r"\b(?![0-9a-f]{64}\b)[0-9A-Za-z]{64}\b")
COMPARED_HEADERS = ("Location", "Content-Disposition", "Content-Type")


class ReceivedAnswer(NamedTuple):
    """An answer to a GET request: its status, its headers and its body as text."""

    address: str
    status: int
    headers: dict[str, str]
    body: str

    @property
    def text(self) -> str:
        """All that it tells: the values of JSON, or the text of a page with its attributes."""
        told = " ".join(self.headers.values())
        if self.headers.get("Content-Type", "").startswith("application/json"):
            return "\n".join([told, *_values(json.loads(self.body or "null"))])
        return f"{told}\n{html.unescape(self.body)}"

    @property
    def unvarying(self) -> str:
        """The answer without what is drawn anew for every request."""
        headers = [f"{name}: {self.headers.get(name, '')}" for name in COMPARED_HEADERS]
        whole = "\n".join([str(self.status), *headers, self.body])
        return UUID.sub("UUID", CSRF_TOKEN.sub("CSRF", whole))


@contextmanager
def _read() -> Iterator[None]:
    """A read of the database. Nothing that is written in it stays."""
    with transaction.atomic() if connection.in_atomic_block else consistent_read():
        yield
        transaction.set_rollback(True)


def loaded_handler() -> BaseHandler:
    """The server's handler of requests, with all middleware."""
    handler = BaseHandler()
    handler.load_middleware()
    return handler


class Visitor:
    """A person who requests addresses. Answers are those of the server to its browser.

    The person is set on the request, because a session would be written.
    """

    def __init__(self, person: User, handler: BaseHandler) -> None:
        self.person = copy(person)
        # A page is checked as it is after the person has chosen a password.
        self.person.must_change_password = False
        self._handler = handler

    def get(self, address: str) -> ReceivedAnswer:
        parts = urlsplit(address)
        request = cast(Any, WSGIRequest(_environ(parts.path, parts.query)))
        request._cached_user = self.person  # where AuthenticationMiddleware looks first
        with _read():
            response = self._handler.get_response(request)
            if isinstance(response, StreamingHttpResponse):
                content = b"".join(cast("Iterator[bytes]", response))
            else:
                content = cast(HttpResponse, response).content
        # `response.close` would also close the connection to the database, as after a request.
        for close in cast(Any, response)._resource_closers:
            close()
        headers = {**response.headers, "Set-Cookie": response.cookies.output(header="")}
        return ReceivedAnswer(
            address, response.status_code, headers, content.decode("utf-8", "replace")
        )


@contextmanager
def no_log_of_refusals() -> Iterator[None]:
    """Most requests are refused, as they should be. Each would be a warning in the server's log."""
    logger = logging.getLogger("django.request")
    logger.addFilter(_is_of_the_server)
    try:
        yield
    finally:
        logger.removeFilter(_is_of_the_server)


def _is_of_the_server(record: logging.LogRecord) -> bool:
    request = getattr(record, "request", None)
    return getattr(request, "environ", {}).get("SERVER_SOFTWARE") != SOFTWARE


SOFTWARE = "blindness check"


def _environ(path: str, query: str) -> dict[str, Any]:
    """A secure request to the first host that the server answers for."""
    host = next((name for name in settings.ALLOWED_HOSTS if name != "*"), "localhost").lstrip(".")
    return {
        "REQUEST_METHOD": "GET",
        # As WSGI has it: the bytes of the path as Latin-1.
        "PATH_INFO": unquote(path).encode().decode("latin-1"),
        "QUERY_STRING": query,
        "SERVER_NAME": host,
        "SERVER_PORT": "443",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "SERVER_SOFTWARE": SOFTWARE,
        "HTTP_HOST": host,
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.url_scheme": "https",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": io.StringIO(),
    }


def _values(value: Any) -> Iterator[str]:
    """The texts and numbers in a JSON value. Keys of objects are words of the program."""
    if isinstance(value, dict):
        for each in value.values():
            yield from _values(each)
    elif isinstance(value, list):
        for each in value:
            yield from _values(each)
    elif value is not None:
        yield str(value)
