"""A server's log: one JSON object a line, and a line for each request.

A line names the route and never the path, which may be a one-time link, and nothing that was sent.
"""

from __future__ import annotations

import json
import logging
import re
import time
import uuid
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse

FIELDS = ("method", "route", "status", "ms", "user")
# PostgreSQL adds the row that it refused, with every note and grade in it. It ends with the exception's text.
DETAIL = re.compile(r"^DETAIL: .*?(?=\n\n(?:The above exc|During hand)|\Z)", re.MULTILINE | re.DOTALL)
request_id: ContextVar[str] = ContextVar("request_id", default="")
logger = logging.getLogger(__name__)


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage()
        request = getattr(record, "request", None)  # in Django's own lines
        if isinstance(request, HttpRequest):
            message = message.replace(request.path, route_of(request))
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": DETAIL.sub("", message),
            "request": request_id.get(),
            **{field: getattr(record, field) for field in FIELDS if hasattr(record, field)},
        }
        if record.exc_info:
            line["trace"] = DETAIL.sub("", self.formatException(record.exc_info))
        return json.dumps(line, default=str)  # ASCII only, so nothing in it can begin another line


class RequestLog:
    """Numbers each request, also in its answer, and logs how it ended. Files of the interface are left out."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        token = request_id.set(uuid.uuid4().hex)
        try:
            response = self.get_response(request)
            response["X-Request-ID"] = request_id.get()
            if request.resolver_match or response.status_code >= 400:
                about = {
                    "method": request.method,
                    "route": route_of(request),
                    "status": response.status_code,
                    "ms": round(1000 * (time.perf_counter() - began)),
                    "user": getattr(getattr(request, "_cached_user", None), "pk", None),
                }
                logger.info("%(method)s %(route)s %(status)s", about, extra=about)
            return response
        finally:
            request_id.reset(token)


def route_of(request: HttpRequest) -> str:
    """c/<slug:slug>/documents/"""
    return request.resolver_match.route if request.resolver_match else "(no page)"
