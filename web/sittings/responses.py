"""Respond to a submission: JSON for our scripts, a page or a redirect for plain forms."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from web.errors import UserFacingError
from web.requests.answers import outcome, refusal, wants_json, wants_part


def saved(request: HttpRequest, next_url: str) -> HttpResponse:
    """The submission is saved; `next_url` is the page that follows."""
    return outcome(request, next=next_url) if wants_json(request) else redirect(next_url)


def refused(
    request: HttpRequest,
    error: UserFacingError,
    show: Callable[[], HttpResponse],
    level: int = messages.ERROR,
) -> HttpResponse:
    """Say why nothing was saved; on a page, above what `show` makes of the submission."""
    if wants_json(request) or wants_part(request):
        return refusal(request, type(error).__name__, str(error), status=error.status)
    messages.add_message(request, level, str(error))
    page = show()
    page.status_code = error.status
    return page
