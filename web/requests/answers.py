"""Read what a request sent, and build the JSON responses for our scripts."""

from __future__ import annotations

from typing import Any

from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    JsonResponse,
)
from django.utils.http import urlencode
from django_htmx.http import HttpResponseClientRedirect


def answers(request: HttpRequest) -> list[tuple[str, str]]:
    """The fields of a form, which a confirmation page sends again."""
    skipped_names = {"csrfmiddlewaretoken", "confirmed"}
    return [
        (name, value)
        for name, values in request.POST.lists()
        if name not in skipped_names
        for value in values
        if isinstance(value, str)
    ]


def sorting_address(path: str, request: HttpRequest, *names: str) -> str:
    """The start of a table's sort links: the page's path, and its parameters in `names`."""
    parameters = {name: request.GET[name] for name in names if request.GET.get(name)}
    return f"{path}?{urlencode(parameters)}{'&' if parameters else ''}"


JSON = "application/json"


def wants_json(request: HttpRequest) -> bool:
    """Return whether a script sent the request, and so expects JSON instead of the next page."""
    return request.get_preferred_type(["text/html", JSON]) == JSON


def wants_part(request: HttpRequest) -> bool:
    """Return whether a script asks for a part of the page, such as the pair alone.

    False also for a page that fetches itself again because a job has finished, and for one that
    the browser's history has lost.
    """
    headers = request.headers
    return (
        "HX-Request" in headers
        and "HX-History-Restore-Request" not in headers
        and headers.get("HX-Target") != "main"
    )


def led_to(request: HttpRequest, address: str) -> HttpResponse:
    """A redirect of the whole page, also where htmx asked for a part of it."""
    if "HX-Request" in request.headers:
        return HttpResponseClientRedirect(address)
    return HttpResponseRedirect(address)


def outcome(request: HttpRequest, **content: Any) -> JsonResponse:
    """The outcome of a submission. The key proves to the script that this server read it."""
    return JsonResponse({"key": request.POST.get("key", ""), **content})


def refusal(
    request: HttpRequest, error: str, message: str, *, status: int, **more: Any
) -> JsonResponse:
    answer = outcome(request, error=error, message=message, **more)
    answer.status_code = status
    return answer
