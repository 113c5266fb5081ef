"""Parsers, content negotiation and lookups for every API view."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest
from rest_framework import serializers
from rest_framework.exceptions import APIException, ParseError, ValidationError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import DataAndFiles, JSONParser, MultiPartParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from web.storable_text import explain, find_unstorable

M = TypeVar("M", bound=Model)


class TooLarge(APIException):
    status_code = 413
    default_detail = "The body is too large. Send files as multipart/form-data."
    default_code = "too_large"


class JsonBody(JSONParser):
    """JSON with a limit on length and nesting, so that it cannot exhaust the server."""

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Any = None
    ) -> dict[str, Any]:
        length = parser_context["request"].META.get("CONTENT_LENGTH") or 0
        if int(length) > (settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0):
            raise TooLarge
        try:
            content: dict[str, Any] = super().parse(stream, media_type, parser_context)
        except RecursionError as error:
            raise ParseError("This JSON is nested too deeply.") from error
        check_storable(content.items() if isinstance(content, dict) else [("", content)])
        return content


class FormBody(MultiPartParser):
    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Any = None
    ) -> DataAndFiles[Any, Any]:
        try:
            content = super().parse(stream, media_type, parser_context)
        except OSError:
            remove_received(parser_context["request"])
            raise
        check_storable(content.data.lists())
        return content


def remove_received(request: HttpRequest | Request) -> None:
    """Remove the partly received files of a form. Django would keep them for a while."""
    for handler in request.upload_handlers:
        file = getattr(handler, "file", None)
        if file is not None:
            with suppress(OSError):
                file.close()


def check_storable(fields: Iterable[tuple[str, Any]]) -> None:
    """Raise ValidationError for the fields whose text cannot be stored."""
    characters = {name: find_unstorable([name, value]) for name, value in fields}
    wrong = {name: character for name, character in characters.items() if character}
    if wrong:
        raise ValidationError(
            {ascii(name)[1:-1]: [explain("This", character)] for name, character in wrong.items()}
        )


class WhateverIsAccepted(DefaultContentNegotiation):
    """Every address has one response format, so the header `Accept` is ignored."""

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, str(renderer.media_type)


def files_field(help_text: str) -> serializers.ListField:
    """Files of a form. The field is repeated for each."""
    return serializers.ListField(
        child=serializers.FileField(),
        allow_empty=False,
        help_text=f"{help_text} Can be repeated: several files are one import.",
    )


def found(rows: QuerySet[M], **lookup: Any) -> M:
    """The row that matches, among `rows` that the person may see.

    Raises:
        Http404: no row matches.
    """
    row = rows.filter(**lookup).first()
    if row is None:
        raise Http404
    return row
