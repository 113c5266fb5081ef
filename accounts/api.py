"""Base classes of the API views: the person, the collection and the role are checked here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NoReturn, TypeVar

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from accounts.access import collection_for
from accounts.models import EVERY_ROLE, Collection, Role, User
from accounts.tokens.authentication import ForEveryScope, ScopeTooNarrow, scope_of
from accounts.tokens.scopes import TokenScope, roles_within, scopes_for_roles
from web.api.serializers import (
    JsonBody,
    NoKeys,
    RequestSerializer,
    WhateverIsAccepted,
    unknown_keys,
)

S = TypeVar("S", bound=RequestSerializer)


class ApiView(APIView):
    content_negotiation_class = WhateverIsAccepted
    parser_classes: Sequence[Any] = [JsonBody]
    metadata_class = None
    pagination_class: Any = api_settings.DEFAULT_PAGINATION_CLASS

    @classmethod
    def scopes_for(cls, method: str) -> frozenset[TokenScope]:
        """The scopes of tokens that may use the method. A view may name others."""
        return scopes_for_roles((), method)

    def check_person(self) -> None:
        """Raise Http404 if the person may not use this method, whatever the token."""

    def paged(
        self,
        rows: QuerySet[Any] | Sequence[Any],
        serializer: type[serializers.Serializer[Any]],
        **context: Any,
    ) -> Response:
        paginator = self.pagination_class()
        known = (paginator.page_query_param, paginator.page_size_query_param)
        if unknown := unknown_keys(self.request.query_params, known):
            raise ValidationError(unknown)
        page = paginator.paginate_queryset(rows, self.request, view=self)
        answers = serializer(page, many=True, context={"request": self.request, **context}).data
        response: Response = paginator.get_paginated_response(answers)
        return response

    def parsed(self, serializer: type[RequestSerializer] = NoKeys) -> dict[str, Any]:
        """The validated body of the request. An invalid body is a 400 that names the fields."""
        values: dict[str, Any] = self.parser(serializer).validated_data
        return values

    def parser(self, serializer: type[S]) -> S:
        """As `parsed`, with the methods of the serializer."""
        _valid(NoKeys, self.request.query_params)
        return _valid(serializer, self.request.data)

    def parameters(self, serializer: type[S]) -> S:
        """The validated parameters of the address. The request has no body."""
        _valid(NoKeys, self.request.data)
        return _valid(serializer, self.request.query_params)

    @property
    def acting_roles(self) -> tuple[str, ...]:
        """The roles as which the person acts: with a token for judging, not as an admin."""
        return roles_within(scope_of(self.request), EVERY_ROLE)

    @property
    def person(self) -> User:
        """The person who sent the request. The permission classes reject everyone else."""
        if not isinstance(self.request.user, User):
            raise Http404
        return self.request.user


def _valid(serializer: type[S], data: Any) -> S:
    valid = serializer(data=data)
    valid.is_valid(raise_exception=True)
    return valid


class CollectionView(ApiView):
    """A view below `/collections/{slug}/`. A person without one of `roles` there gets 404.

    The role is checked before the method and the body, so other people learn nothing from either.
    `reading_roles` are those of GET, where more people may write than read.
    """

    roles: ClassVar[tuple[str, ...]] = (Role.ADMIN,)
    reading_roles: ClassVar[tuple[str, ...]] = ()
    collection: Collection

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        roles = self.roles_for(request.method or "")
        usable_roles = roles_within(scope_of(request), roles)
        try:
            self.collection = collection_for(request.user, kwargs["slug"], *usable_roles)
        except Http404:
            if usable_roles == roles:
                raise
            self.check_person()
            raise ScopeTooNarrow(
                self.scopes_for(request.method or "") - {TokenScope.JUDGE}
            ) from None

    def check_person(self) -> None:
        roles = self.roles_for(self.request.method or "")
        collection_for(self.request.user, self.kwargs["slug"], *roles)

    @classmethod
    def scopes_for(cls, method: str) -> frozenset[TokenScope]:
        return scopes_for_roles(cls.roles_for(method), method)

    @classmethod
    def roles_for(cls, method: str) -> tuple[str, ...]:
        is_read = method.upper() in ("GET", "HEAD")
        return cls.reading_roles or cls.roles if is_read else cls.roles


class UnknownAddress(ForEveryScope, ApiView):
    """404 for every address that does not exist."""

    @extend_schema(exclude=True)
    def _not_found(self, request: Request, **_: Any) -> NoReturn:
        raise Http404

    get = head = post = put = patch = delete = _not_found
