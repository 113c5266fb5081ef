"""Pages and answers for a person who is logged in stay with that person."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.utils.cache import patch_cache_control

Handler = Callable[[HttpRequest], HttpResponseBase]


def forbid_storing(get_response: Handler) -> Handler:
    """Middleware: no cache, and no browser on a shared computer, may store an answer.

    Every answer, since whether somebody is logged in may never have been looked up. Static files
    are answered before it.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        patch_cache_control(response, private=True, no_store=True)
        return response

    return middleware
