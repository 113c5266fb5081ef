"""What every API view starts from: who asks, in which collection, in which role."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, ClassVar, NoReturn, TypeVar

from django.conf import settings
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import APIException, ParseError, ValidationError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import DataAndFiles, JSONParser, MultiPartParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from accounts.access import collection_for
from accounts.models import Collection, Role, User
from database.storable import explain, find_unstorable

M = TypeVar("M", bound=Model)


class TooLarge(APIException):
    status_code = 413
    default_detail = "The body is too large. Files are sent as multipart/form-data."
    default_code = "too_large"


class JsonBody(JSONParser):
    """JSON that cannot exhaust the server: not too long, not too deep."""

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Any = None
    ) -> dict[str, Any]:
        length = parser_context["request"].META.get("CONTENT_LENGTH") or 0
        if int(length) > (settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0):
            raise TooLarge
        try:
            parsed: dict[str, Any] = super().parse(stream, media_type, parser_context)
        except RecursionError as error:
            raise ParseError("This JSON is nested too deeply.") from error
        check_storable(parsed.items() if isinstance(parsed, dict) else [("", parsed)])
        return parsed


class FormBody(MultiPartParser):
    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Any = None
    ) -> DataAndFiles[Any, Any]:
        try:
            parsed = super().parse(stream, media_type, parser_context)
        except OSError:
            remove_received(parser_context["request"])
            raise
        check_storable(parsed.data.lists())
        return parsed


def remove_received(request: HttpRequest | Request) -> None:
    """Remove what came of a form's files before the disk was full. Django would keep it a while."""
    for handler in request.upload_handlers:
        file = getattr(handler, "file", None)
        if file is not None:
            with suppress(OSError):
                file.close()


def check_storable(fields: Iterable[tuple[str, Any]]) -> None:
    """Raises ValidationError for the fields whose text no database could store."""
    found = {name: find_unstorable([name, value]) for name, value in fields}
    wrong = {name: character for name, character in found.items() if character}
    if wrong:
        raise ValidationError(
            {ascii(name)[1:-1]: [explain("This", character)] for name, character in wrong.items()}
        )


class WhateverIsAccepted(DefaultContentNegotiation):
    """Every address has one kind of answer, so `Accept` decides nothing and never fails."""

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, str(renderer.media_type)


class ApiView(APIView):
    content_negotiation_class = WhateverIsAccepted
    parser_classes: Sequence[Any] = [JsonBody]
    metadata_class = None
    pagination_class: Any = api_settings.DEFAULT_PAGINATION_CLASS

    def paged(
        self, rows: QuerySet[Any] | list[Any], serializer: type[serializers.Serializer[Any]]
    ) -> Response:
        paginator = self.pagination_class()
        page = paginator.paginate_queryset(rows, self.request, view=self)
        response: Response = paginator.get_paginated_response(serializer(page, many=True).data)
        return response

    def parsed(self, serializer: type[serializers.Serializer[Any]]) -> dict[str, Any]:
        """The request's body as the serializer reads it; a 400 naming the fields if it cannot."""
        reader = serializer(data=self.request.data)
        reader.is_valid(raise_exception=True)
        values: dict[str, Any] = reader.validated_data
        return values

    @property
    def person(self) -> User:
        """Who asks; the permission classes let nobody else through."""
        if not isinstance(self.request.user, User):
            raise Http404
        return self.request.user


class CollectionView(ApiView):
    """A view below `/collections/{slug}/`; without one of `roles` in it the address does not exist.

    The role is looked at before the method and the body, so a stranger learns nothing from either.
    """

    roles: ClassVar[tuple[str, ...]] = (Role.ADMIN,)
    collection: Collection

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.collection = collection_for(request.user, kwargs["slug"], *self.roles)


def found(rows: QuerySet[M], **lookup: Any) -> M:
    """The one row, out of those the person may see.

    Raises:
        Http404: there is none.
    """
    row = rows.filter(**lookup).first()
    if row is None:
        raise Http404
    return row


class Nowhere(ApiView):
    """Any address that is not there."""

    @extend_schema(exclude=True)
    def _absent(self, request: Request, **_: Any) -> NoReturn:
        raise Http404

    get = head = post = put = patch = delete = _absent
