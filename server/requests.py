"""Middleware that numbers a request, writes one line about it and counts it.

It asks neither the database nor the session. The line has the name of the address instead of its
path, because paths have names of people, collections and one-time links.
"""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from server.metrics import access
from web.logs.context import request_id
from web.logs.formatters import route_of

HEADER = "X-Request-ID"
# What a trusted proxy may name a request. Anything else could forge fields or lines of the log.
NUMBER = re.compile(r"[A-Za-z0-9_-]{8,64}")
STATIC = "(static file)"

log = logging.getLogger("server.access")
Handler = Callable[[HttpRequest], HttpResponseBase]


def observe(get_response: Handler) -> Handler:
    def middleware(request: HttpRequest) -> HttpResponseBase:
        began = time.perf_counter()
        number = _number_of(request)
        token = request_id.set(number)
        try:
            response = get_response(request)
            response.headers[HEADER] = number
            _report(request, response.status_code, time.perf_counter() - began)
        finally:
            request_id.reset(token)
        return response

    return middleware


def _number_of(request: HttpRequest) -> str:
    """The number that a trusted proxy gave, else a new one."""
    given = request.META.get("HTTP_X_REQUEST_ID", "") if settings.TRUSTED_PROXIES else ""
    return given if NUMBER.fullmatch(given) else str(uuid.uuid4())


def _report(request: HttpRequest, status: int, seconds: float) -> None:
    method = request.method if request.method in METHODS else "OTHER"
    is_static = request.resolver_match is None and request.path.startswith(settings.STATIC_URL)
    route = STATIC if is_static else route_of(request)
    if log.isEnabledFor(logging.INFO):
        fields = {"method": method, "route": route, "status": status, "seconds": round(seconds, 4)}
        log.info("%s %s %s %.4f s", method, route, status, seconds, extra={"fields": fields})
    if access.is_on():
        from server.metrics import requests

        requests.count(str(method), route, status, seconds)


# A client may send any word as the method, and each would be a series of its own.
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
