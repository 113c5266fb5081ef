"""Answers to requests that reach no view, or make one fail: JSON below `/api/`, else a page.

None of them may need the database or the session.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import loader

API = "/api/"
HEADINGS = {
    400: "The server did not understand this",
    411: "The length is missing",
    413: "This is too large",
    507: "The server cannot keep this",
}
FAILED = (
    "The server failed, and its log says why. This request was either carried out whole or not at "
    "all: look before you send it again."
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
