"""Parsers, request serializers, content negotiation and lookups for every API view."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from itertools import islice
from typing import Any, TypeVar, cast

from django.conf import settings
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, QueryDict
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from rest_framework import serializers
from rest_framework.exceptions import APIException, ParseError, ValidationError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import DataAndFiles, JSONParser, MultiPartParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from web.requests.storable_text import explain, find_unstorable

M = TypeVar("M", bound=Model)
MOST_NAMED = 10  # unknown keys in one answer
LONGEST_KEY = 60  # of an unknown key that is shown
CSRF_FIELD = "csrfmiddlewaretoken"  # Django reads it from the form of a session


def words_field(length: int, help_text: str | None = None) -> serializers.CharField:
    """Text of at most `length` characters, and "" where it is left out."""
    return serializers.CharField(
        max_length=length, default="", allow_blank=True, help_text=help_text
    )


class RequestTooLarge(APIException):
    status_code = 413
    default_detail = "The body is too large. Send files as multipart/form-data."
    default_code = "too_large"


class JsonBody(JSONParser):
    """JSON with a limit on length and nesting, so that it cannot exhaust the server."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        length = parser_context["request"].META.get("CONTENT_LENGTH") or 0
        if int(length) > (settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0):
            raise RequestTooLarge
        try:
            content = super().parse(stream, media_type, parser_context)
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


# Without a docstring, which would be the description of every body in the OpenAPI document.
class RequestSerializer(serializers.Serializer[Any]):
    def to_internal_value(self, data: Any) -> Any:
        """Also refuse unknown keys, since an ignored `dry_run` or `licens` does harm."""
        unknown = unknown_keys(data, self.fields) if isinstance(data, Mapping) else {}
        if isinstance(data, QueryDict):
            unknown.pop(CSRF_FIELD, None)
        try:
            values = super().to_internal_value(data)
        except ValidationError as error:
            raise ValidationError({**unknown, **cast("dict[str, Any]", error.detail)}) from error
        if unknown:
            raise ValidationError(unknown)
        return values


class NoKeys(RequestSerializer):
    pass


class DryRun(RequestSerializer):
    dry_run = serializers.BooleanField(
        default=False, help_text="Only answer what would happen. Nothing changes."
    )


def unknown_keys(data: Iterable[str], known: Collection[str]) -> dict[str, list[str]]:
    """An error for each unknown key, with the nearest known one. Of many keys, the first."""
    unknown = islice((key[:LONGEST_KEY] for key in data if key not in known), MOST_NAMED)
    return {key: [_unknown(key, sorted(known))] for key in unknown}


def _unknown(key: str, known: list[str]) -> str:
    if not known:
        return f'Unknown key "{key}". No key is allowed here.'
    nearest = get_close_matches(key.lower(), known, n=1)
    hint = f'Did you mean "{nearest[0]}"?' if nearest else f"Known keys: {', '.join(known)}."
    return f'Unknown key "{key}". {hint}'


def files_field(help_text: str) -> serializers.ListField:
    """Files of a form. The field is repeated for each."""
    return serializers.ListField(
        child=serializers.FileField(),
        allow_empty=False,
        help_text=f"{help_text} Can be repeated: several files are one import.",
    )


class UploadedFile(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """A file of a form in the OpenAPI document. drf-spectacular takes it for an address."""

    target_class = "rest_framework.fields.FileField"
    match_subclasses = True

    def map_serializer_field(self, auto_schema: Any, direction: str) -> dict[str, str]:
        return {"type": "string", "format": "binary"}


def found(rows: QuerySet[M], **lookup: Any) -> M:
    """The row that matches, among `rows` that the person may see.

    Raises:
        Http404: no row matches.
    """
    row = rows.filter(**lookup).first()
    if row is None:
        raise Http404
    return row
