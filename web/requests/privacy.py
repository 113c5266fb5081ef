"""Responses are private: no cache and no browser stores them, and no search engine lists them."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import patch_cache_control

ROBOTS = "X-Robots-Tag"
Handler = Callable[[HttpRequest], HttpResponseBase]


def forbid_storing(get_response: Handler) -> Handler:
    """Middleware: no cache, and no browser on a shared computer, may store a response.

    This covers every response, because a view may not have looked up the user. A view of public
    data opts out with `Cache-Control: public`. Static files are served before this middleware.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if "public" not in response.get("Cache-Control", ""):
            patch_cache_control(response, private=True, no_store=True)
        response.headers.setdefault(ROBOTS, "noindex")
        return response

    return middleware


def allow_search_engines(response: HttpResponse) -> HttpResponse:
    """Let search engines list this page."""
    response.headers[ROBOTS] = "all"
    return response
