"""API errors: {"detail": text for people, "code": word for programs}, sometimes with more keys."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import Http404
from rest_framework.exceptions import APIException, NotFound, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from web.api.serializers import RequestTooLarge
from web.disk import NoRoom, is_full, is_refused
from web.errors import UserFacingError


def answer(error: Exception, context: Any) -> Response | None:
    """The response for an error, or None for an unexpected one.

    "Not found" and "not permitted" look the same, so that a response does not reveal what exists.
    """
    if isinstance(error, Http404 | NotFound) or _status_of(error) == 404:
        return Response({"detail": "Not found.", "code": "not_found"}, status=404)
    if isinstance(error, ValidationError):
        return _invalid(error)
    # The disk filled up, or became read-only, while a file was uploaded.
    foreseen = isinstance(error, UserFacingError)
    if isinstance(error, OSError) and not foreseen and (is_full(error) or is_refused(error)):
        error = NoRoom("the file", error)
    if isinstance(error, RequestDataTooBig):  # raised by Django while it parses the body
        error = RequestTooLarge()
    if isinstance(error, SuspiciousOperation):  # a form with too many fields
        return Response({"detail": "This request is malformed.", "code": "malformed"}, status=400)
    if isinstance(error, UserFacingError):
        content = {"detail": str(error), "code": error.code, **error.details()}
        return Response(content, status=error.status)
    response = exception_handler(error, context)
    if response is not None:
        code = error.get_codes() if isinstance(error, APIException) else "permission_denied"
        response.data = {"detail": response.data["detail"], "code": code}
    return response


def _status_of(error: Exception) -> int | None:
    return error.status if isinstance(error, UserFacingError) else None


def _invalid(error: ValidationError) -> Response:
    fields = error.detail if isinstance(error.detail, dict) else {"": error.detail}
    wrong = ", ".join(fields) or "the body"
    content = {"detail": f"Invalid: {wrong}.", "code": "invalid", "fields": fields}
    return Response(content, status=400)
