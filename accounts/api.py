"""Base classes of the API views: the person, the collection and the role are checked here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NoReturn

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from accounts.access import collection_for
from accounts.models import Collection, Role, User
from web.api import JsonBody, WhateverIsAccepted


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
        """The validated body of the request. An invalid body is a 400 that names the fields."""
        parser = serializer(data=self.request.data)
        parser.is_valid(raise_exception=True)
        values: dict[str, Any] = parser.validated_data
        return values

    @property
    def person(self) -> User:
        """The person who sent the request. The permission classes reject everyone else."""
        if not isinstance(self.request.user, User):
            raise Http404
        return self.request.user


class CollectionView(ApiView):
    """A view below `/collections/{slug}/`. A person without one of `roles` there gets 404.

    The role is checked before the method and the body, so other people learn nothing from either.
    """

    roles: ClassVar[tuple[str, ...]] = (Role.ADMIN,)
    collection: Collection

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.collection = collection_for(request.user, kwargs["slug"], *self.roles)


class UnknownAddress(ApiView):
    """404 for every address that does not exist."""

    @extend_schema(exclude=True)
    def _not_found(self, request: Request, **_: Any) -> NoReturn:
        raise Http404

    get = head = post = put = patch = delete = _not_found
