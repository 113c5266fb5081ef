"""Responses to requests that reach no view or make it fail: JSON below `/api/`, else a page.

They must not need the database or the session.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import loader
from django.utils.translation import gettext, gettext_noop
from django.views import defaults
from django.views.csrf import csrf_failure as django_csrf_failure

from web.languages.choice import in_language_of
from web.requests.answers import refusal, wants_json

API = "/api/"
HEADINGS = {
    400: gettext_noop("Invalid request"),
    409: gettext_noop("Not possible now"),
    411: gettext_noop("Missing Content-Length"),
    413: gettext_noop("Request too large"),
    416: gettext_noop("No such part of the file"),
    429: gettext_noop("Too many requests"),
    503: gettext_noop("File not available"),
    507: gettext_noop("Upload not saved"),
}
FAILED = (
    "Server error. The cause is in the server's log. This request was carried out completely or "
    "not at all. Check before you send it again."
)


def refuse(
    request: HttpRequest, status: int, code: str, message: str, **values: object
) -> HttpResponse:
    """The message has places such as %(limit)s for the values, so that it can be translated."""
    if request.path.startswith(API):
        detail = message % values if values else message
        return JsonResponse({"detail": detail, "code": code}, status=status)
    with in_language_of(request):
        heading, reason = gettext(HEADINGS[status]), gettext(message)
        reason = reason % values if values else reason
        context = {"status": status, "heading": heading, "reason": reason}
        return HttpResponse(loader.render_to_string("400.html", context), status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler400."""
    message = gettext_noop("This request is malformed or too large.")
    return refuse(request, 400, "malformed", message)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler404."""
    with in_language_of(request):
        return defaults.page_not_found(request, exception)


def not_allowed(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler403."""
    with in_language_of(request):
        return defaults.permission_denied(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500."""
    if request.path.startswith(API):
        return JsonResponse({"detail": FAILED, "code": "server_error"}, status=500)
    with in_language_of(request):
        return HttpResponse(loader.render_to_string("500.html"), status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A page for people, or JSON that echoes the key for our scripts."""
    with in_language_of(request):
        if wants_json(request):
            message = gettext("This page’s security token is invalid.")
            return refusal(request, "CsrfFailed", message, status=403)
        return django_csrf_failure(request, reason)
