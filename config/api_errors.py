"""Every error of the API has one form: {"detail": for people, "code": for programs}, maybe more."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import Http404
from rest_framework.exceptions import APIException, NotFound, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from accounts.api import TooLarge
from annotation.services import (
    CannotOpen,
    KeyReused,
    NotYours,
    RevisedMeanwhile,
    WrongPresentation,
)
from corpus.uploads import ImportUnderWay
from jobs.space import is_full, is_refused
from jobs.uploads import NoRoom
from release.errors import CannotKeep, GateClosed, ReleaseDamaged, VersionTaken

STATUS: dict[type[Exception], int] = {
    CannotKeep: 507,
    CannotOpen: 409,
    GateClosed: 409,
    ImportUnderWay: 409,
    KeyReused: 409,
    NoRoom: 507,
    ReleaseDamaged: 500,
    RevisedMeanwhile: 409,
    VersionTaken: 409,
    WrongPresentation: 409,
}


def answer(error: Exception, context: dict[str, Any]) -> Response | None:
    """The response for an error, or None for one that nobody foresaw.

    Absent and not permitted look the same, whatever was said where it was noticed.
    """
    if isinstance(error, Http404 | NotFound | NotYours):
        return Response({"detail": "Not found.", "code": "not_found"}, status=404)
    if isinstance(error, ValidationError):
        return _invalid(error)
    # The disk filled up, or is read-only, while a file was on its way in.
    has_words = getattr(error, "is_for_people", False)
    if isinstance(error, OSError) and not has_words and (is_full(error) or is_refused(error)):
        error = NoRoom("the file", error)
    if isinstance(error, RequestDataTooBig):  # Django noticed while it parsed
        error = TooLarge()
    if isinstance(error, SuspiciousOperation):  # a form of too many fields
        return Response({"detail": "This request is malformed.", "code": "malformed"}, status=400)
    if getattr(error, "is_for_people", False):
        return _for_people(error)
    response = exception_handler(error, context)
    if response is not None:
        code = error.get_codes() if isinstance(error, APIException) else "permission_denied"
        response.data = {"detail": response.data["detail"], "code": code}
    return response


def _for_people(error: Exception) -> Response:
    content: dict[str, Any] = {"detail": str(error), "code": code_of(error)}
    if isinstance(error, GateClosed):
        content["findings"] = [asdict(finding) for finding in error.findings]
    return Response(content, status=STATUS.get(type(error), 400))


def code_of(error: Exception) -> str:
    """`RevisedMeanwhile` is `revised_meanwhile`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(error).__name__).lower()


def _invalid(error: ValidationError) -> Response:
    fields = error.detail if isinstance(error.detail, dict) else {"": error.detail}
    wrong = ", ".join(fields) or "the body"
    content = {"detail": f"To be mended: {wrong}.", "code": "invalid", "fields": fields}
    return Response(content, status=400)
