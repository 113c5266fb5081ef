"""The four errors that a service raises, each with a sentence for the person, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django import forms
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.defaults import page_not_found

Made = TypeVar("Made")


class AppError(Exception):
    status = 400
    heading = "That did not work"


class BadInput(AppError):
    """What was given is wrong: the sentence names the value, the place and the way to fix it."""

    status = 400
    heading = "Something in your input is wrong"


class Forbidden(AppError):
    status = 403
    heading = "You cannot do this"


class NotFound(AppError):
    status = 404
    heading = "Page not found"


class Conflict(AppError):
    """The state of things is another than the person saw; a normal outcome where people work at once."""

    status = 409
    heading = "This has changed meanwhile"


def error_response(request: HttpRequest, error: AppError) -> HttpResponse:
    """A page, or JSON for scripts. `key` comes back so that a script knows the answer for its own."""
    if request.accepts("text/html") and not request.path.startswith("/api/"):
        context = {"heading": error.heading, "sentence": str(error)}
        return render(request, "error.html", context, status=error.status)
    answer = {"error": type(error).__name__, "message": str(error), "key": request.POST.get("key", "")}
    return JsonResponse(answer, status=error.status)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Where no view is: scripts get JSON there, too."""
    if request.path.startswith("/api/"):
        return error_response(request, NotFound("There is nothing here. Addresses of the API end with a slash."))
    return page_not_found(request, exception)


def attempt(form: forms.BaseForm, service: Callable[..., Made], /, **arguments: Any) -> Made | None:
    """What the service makes, or None with its error in the form, so that what was typed stays."""
    try:
        return service(**arguments)
    except (BadInput, Conflict) as error:
        form.add_error(None, str(error))
        return None


def api_exception_handler(error: Exception, context: dict[str, Any]) -> Any:
    """Every refusal of the API in one form. What it does not know is left to the middleware."""
    from rest_framework.response import Response
    from rest_framework.views import exception_handler

    if isinstance(error, UnicodeDecodeError | RecursionError):  # a token of odd bytes, JSON of 10,000 brackets
        error = BadInput("The request cannot be read.")
    if isinstance(error, AppError):
        return Response({"error": type(error).__name__, "message": str(error)}, status=error.status)
    response = exception_handler(error, context)
    if response is not None:
        names = {each.status: each.__name__ for each in (BadInput, Forbidden, NotFound)}
        name = names.get(response.status_code, type(error).__name__)
        response.data = {"error": name, "message": _sentence(response.data)}
    return response


def _sentence(detail: Any) -> str:
    """REST framework's errors of fields, {"n": ["Too large."]}, as one line."""
    if isinstance(detail, dict):
        said = ((key, _sentence(value)) for key, value in detail.items())
        return "; ".join(text if key in ("detail", "non_field_errors") else f"{key}: {text}" for key, text in said)
    return " ".join(map(_sentence, detail)) if isinstance(detail, list) else str(detail)
