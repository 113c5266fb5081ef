"""`/healthz`: 200 while this process can answer and reach its database, 503 while it cannot.

A second line reports a cache that does not answer. The status stays 200, because people can work
without the cache and a restart would not help.

It is the first middleware, not a view. A probe comes without TLS, with an IP address as the host
name and without a session, so later middleware would reject it.
"""

from __future__ import annotations

from collections.abc import Callable

from django.core.cache import cache
from django.db import Error as DatabaseTrouble
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase

PATH = "/healthz"


def answer_probes(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    def middleware(request: HttpRequest) -> HttpResponseBase:
        return report() if request.path == PATH else get_response(request)

    return middleware


def report() -> HttpResponse:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseTrouble:
        return HttpResponse("no database\n", content_type="text/plain", status=503)
    return HttpResponse("ok\n" + _report_on_cache(), content_type="text/plain")


def _report_on_cache() -> str:
    is_down = getattr(cache, "is_down", None)  # only the cache in Redis can fail
    return "no cache: failed logins are not counted\n" if is_down and is_down() else ""
