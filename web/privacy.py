"""Responses are private: no cache and no browser stores them."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.utils.cache import patch_cache_control

Handler = Callable[[HttpRequest], HttpResponseBase]


def forbid_storing(get_response: Handler) -> Handler:
    """Middleware: no cache, and no browser on a shared computer, may store a response.

    This covers every response, because a view may not have looked up the user. Static files are
    served before this middleware.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        patch_cache_control(response, private=True, no_store=True)
        return response

    return middleware
