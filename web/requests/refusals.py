"""Responses to requests that reach no view or make it fail: JSON below `/api/`, else a page.

They must not need the database or the session.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import loader
from django.views.csrf import csrf_failure as django_csrf_failure

from web.requests.answers import refusal, wants_json

API = "/api/"
HEADINGS = {
    400: "Invalid request",
    409: "Not possible now",
    411: "Missing Content-Length",
    413: "Request too large",
    416: "No such part of the file",
    429: "Too many requests",
    503: "File not available",
    507: "Upload not saved",
}
FAILED = (
    "Server error. The cause is in the server's log. This request was carried out completely or "
    "not at all. Check before you send it again."
)


def refuse(request: HttpRequest, status: int, code: str, message: str) -> HttpResponse:
    if request.path.startswith(API):
        return JsonResponse({"detail": message, "code": code}, status=status)
    context = {"status": status, "heading": HEADINGS[status], "reason": message}
    return HttpResponse(loader.render_to_string("400.html", context), status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler400."""
    return refuse(request, 400, "malformed", "This request is malformed or too large.")


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500."""
    if request.path.startswith(API):
        return JsonResponse({"detail": FAILED, "code": "server_error"}, status=500)
    return HttpResponse(loader.render_to_string("500.html"), status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A page for people, or JSON that echoes the key for our scripts."""
    if wants_json(request):
        return refusal(request, "CsrfFailed", "This page's security token is invalid.", status=403)
    return django_csrf_failure(request, reason)
