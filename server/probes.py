"""Answers for programs: `/healthz`, `/readyz` and `/metrics`.

`/healthz` says that this process can answer and reach its database, so that a supervisor restarts
it if not. A second line reports a cache that does not answer. The status stays 200, because people
can work without the cache and a restart would not help. `/readyz` says whether requests should be
sent to it: 503 while a part fails that they need. It names the parts only, because strangers may
read it.

It is the first middleware, not a view. A probe comes without TLS, with an IP address as the host
name and without a session, so later middleware would reject it.
"""

from __future__ import annotations

from collections.abc import Callable

from django.core.cache import cache
from django.db import Error as DatabaseTrouble
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from server.checks.registry import examine_readiness, is_ready
from server.checks.results import CheckLevel
from server.metrics import access

Handler = Callable[[HttpRequest], HttpResponseBase]


def answer_probes(get_response: Handler) -> Handler:
    def middleware(request: HttpRequest) -> HttpResponseBase:
        match request.path:
            case "/healthz":
                return report_health()
            case "/readyz":
                return report_readiness()
            case "/metrics" if access.is_on():
                return report_metrics(request)
        return get_response(request)

    return middleware


def report_health() -> HttpResponse:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseTrouble:
        return _plain("no database\n", status=503)
    return _plain("ok\n" + _report_on_cache())


def _report_on_cache() -> str:
    is_down = getattr(cache, "is_down", None)  # only the cache in Redis can fail
    return "no cache: failed logins are not counted\n" if is_down and is_down() else ""


def report_readiness() -> HttpResponse:
    results = examine_readiness()
    lines = [
        f"{name} {CheckLevel.FAILED if result.level == CheckLevel.FAILED else CheckLevel.OK}\n"
        for name, result in results
    ]
    return _plain("".join(lines), status=200 if is_ready(results) else 503)


def report_metrics(request: HttpRequest) -> HttpResponse:
    if not access.may_read(request):
        return _plain("forbidden\n", status=403)
    from server.metrics.page import CONTENT_TYPE, write_metrics

    return HttpResponse(write_metrics(), content_type=CONTENT_TYPE)


def _plain(text: str, status: int = 200) -> HttpResponse:
    return HttpResponse(text, content_type="text/plain", status=status)
