"""What every part of the API shares: who may come in, pages of rows, refusing unknown keys, and its OpenAPI errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from accounts.access import membership_or_404, require_role
from accounts.models import Membership
from jobs.models import Job


class Strict(serializers.Serializer[Any]):
    """What comes in. An unknown key is refused: a misspelt option would otherwise do nothing, in silence."""

    def to_internal_value(self, data: Any) -> Any:
        known = self.fields.keys()
        if isinstance(data, Mapping) and (unknown := sorted(set(data) - known)):
            raise serializers.ValidationError({unknown[0]: f"Unknown. Known are: {', '.join(known)}."})
        return super().to_internal_value(data)


class Pages(LimitOffsetPagination):
    default_limit = 50
    max_limit = 500


class AlwaysJson(DefaultContentNegotiation):
    """Downloads say what they are themselves, so `Accept: application/zip` is no reason to refuse."""

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


class InCollection(GenericViewSet[Any]):
    """A part of one collection for those with one of its `roles`, by the rule of the pages; without roles, for all."""

    roles: tuple[str, ...] = ()
    membership: Membership
    lookup_value_converter = "int"
    pagination_class: Any = Pages
    content_negotiation_class = AlwaysJson

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.membership = membership_or_404(request.user, kwargs["slug"])  # type: ignore[arg-type]
        self.collection = self.membership.collection
        require_role(self.membership, *self.roles)

    def listed(self, rows: Any) -> Response:
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(self.get_serializer(page, many=True).data)


def given(serializer: type[Strict], data: Any) -> dict[str, Any]:
    """The values of a request's body or query. Raises ValidationError."""
    read = serializer(data=data)
    read.is_valid(raise_exception=True)
    return dict(read.validated_data)


class JobSerializer(serializers.ModelSerializer[Job]):
    requested_by = serializers.SlugRelatedField[Any](slug_field="username", read_only=True, allow_null=True)
    result = serializers.DictField()

    class Meta:
        model = Job
        fields = [
            *("id", "kind", "state", "done", "total", "note", "result", "error", "requested_by"),
            *("created_at", "started_at", "finished_at"),
        ]


def accepted(job: Job) -> Response:
    """Ask `jobs/<id>/` until its state is none of queued and running."""
    return Response(JobSerializer(job).data, status=202)


def with_errors(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """The schema with what an error looks like, once for all operations."""
    text = {"type": "string"}
    error = {"type": "object", "properties": {"error": text, "message": text}, "required": ["error", "message"]}
    result["components"]["schemas"]["Error"] = error
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    for operations in result["paths"].values():
        for operation in operations.values():
            operation["responses"]["4XX"] = {"description": "Refused, with the reason", "content": content}
    return result
