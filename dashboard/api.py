"""The API's address list; the archive and the licences of a collection.

Collections themselves are in `annotation.api_collections`, and their people in `people_api`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.http import HttpRequest
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import ApiView, CollectionView
from accounts.judging_rules import HIGHEST_REPEAT_SHARE, PROPOSALS
from accounts.login.second_factors import HasSecondFactor
from accounts.models import OWNERS, Collection, User
from accounts.passwords import HasOwnPassword
from accounts.tokens.authentication import ForEveryScope, WithinScope, scope_of
from accounts.tokens.scopes import TokenScope
from annotation.api_collections import CollectionAnswer, collections_of
from dashboard.services import (
    change_judging_rules,
    change_licences,
    change_second_factor_rule,
)
from dashboard.settings.archiving import archive_collection, unarchive_collection
from web.api.serializers import NoKeys, RequestSerializer

ADDRESSES = "config.api_urls"  # by its name, since it imports this module


class CollectionParts(serializers.Serializer[Collection]):
    slug = serializers.CharField()
    name = serializers.CharField()
    roles = serializers.SerializerMethodField(help_text="Your own.")
    address = serializers.SerializerMethodField()
    parts = serializers.SerializerMethodField(
        help_text="What is below the address for your roles and the scope of your token, each with "
        "its methods. Parts that name one thing, such as a run, are in the OpenAPI document."
    )

    def get_roles(self, collection: Collection) -> list[str]:
        return [membership.role for membership in collection.memberships.all()]

    def get_address(self, collection: Collection) -> str:
        path = reverse("api-collection", args=[collection.slug])
        return str(self.context["request"].build_absolute_uri(path))

    def get_parts(self, collection: Collection) -> dict[str, list[str]]:
        scope = scope_of(self.context["request"])
        return parts_for(self.get_roles(collection), scope)


class RootAnswer(serializers.Serializer[Any]):
    docs = serializers.CharField(help_text="The documentation of every address.")
    schema = serializers.CharField(help_text="The OpenAPI document.")
    collections = serializers.CharField(help_text="Your collections with all their settings.")
    count = serializers.IntegerField(help_text="Of your collections. Without a login, 0.")
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)
    results = CollectionParts(many=True)


class Root(ForEveryScope, ApiView):
    permission_classes = [HasOwnPassword, HasSecondFactor, WithinScope]

    @extend_schema(
        summary="What there is",
        description="The addresses of the documentation, and your collections with their parts. "
        "Without a login there are no collections.",
        parameters=[OpenApiParameter("page", int), OpenApiParameter("page_size", int)],
        responses=RootAnswer,
    )
    def get(self, request: Request) -> Response:
        is_known = isinstance(request.user, User)
        collections = (
            collections_of(self.person, self.acting_roles)
            if is_known
            else Collection.objects.none()
        )
        response = self.paged(collections, CollectionParts)
        response.data = _addresses(request) | response.data
        return response


def _addresses(request: Request | HttpRequest) -> dict[str, str]:
    names = {"docs": "api-docs", "schema": "api-schema", "collections": "api-collections"}
    return {key: request.build_absolute_uri(reverse(name)) for key, name in names.items()}


def parts_for(roles: Iterable[str], scope: TokenScope | None = None) -> dict[str, list[str]]:
    """The parts of a collection and their methods, as a person with these roles has them.

    With the scope of a token, those that the token may use.
    """
    parts = {}
    for pattern in _collection_patterns():
        view = getattr(pattern.callback, "view_class")  # noqa: B009  # mypy knows no view_class
        methods = [
            name.upper()
            for name in ("get", "post", "delete")
            if hasattr(view, name)
            and set(view.roles_for(name)) & set(roles)
            and (scope is None or scope in view.scopes_for(name))
        ]
        if methods and not pattern.pattern.converters:
            parts[str(pattern.pattern)] = methods
    return parts


def _collection_patterns() -> Iterator[URLPattern]:
    for resolver in get_resolver(ADDRESSES).url_patterns:
        if isinstance(resolver, URLResolver):
            yield from (part for part in resolver.url_patterns if isinstance(part, URLPattern))


class CollectionArchive(CollectionView):
    @extend_schema(
        summary="Archive a collection",
        description="It can then be read but not changed: every change answers 409 with the code "
        "`collection_archived`. A collection with jobs in progress is not archived (409).",
        request=None,
        responses=CollectionAnswer,
    )
    def post(self, request: Request, slug: str) -> Response:
        self.parsed()
        archive_collection(collection=self.collection)
        return _answer(self)

    @extend_schema(
        summary="Unarchive a collection", request=None, responses={200: CollectionAnswer}
    )
    def delete(self, request: Request, slug: str) -> Response:
        self.parameters(NoKeys)
        unarchive_collection(collection=self.collection)
        return _answer(self)


class NewLicences(RequestSerializer):
    licence = serializers.CharField(
        max_length=120,
        allow_blank=True,
        required=False,
        help_text="Of the judgments: an SPDX identifier, such as CC-BY-4.0. A release needs one.",
    )
    corpus_licence = serializers.CharField(
        max_length=120,
        allow_blank=True,
        required=False,
        help_text="Of the documents' texts. A release contains texts only with it.",
    )


class CollectionLicences(CollectionView):
    roles = OWNERS

    @extend_schema(
        summary="Change the licences",
        description="What is not given stays. Published versions keep their licences.",
        request=NewLicences,
        responses=CollectionAnswer,
    )
    def post(self, request: Request, slug: str) -> Response:
        change_licences(collection=self.collection, **self.parsed(NewLicences))
        return _answer(self)


class SecondFactorRule(RequestSerializer):
    """The rule about second factors, as an answer and as a request."""

    admins_need_second_factor = serializers.BooleanField(
        help_text="Admins and owner-annotators without a second factor open nothing of the "
        "collection."
    )


class CollectionSecondFactor(CollectionView):
    roles = OWNERS

    @extend_schema(summary="Second factors of admins", responses=SecondFactorRule)
    def get(self, request: Request, slug: str) -> Response:
        self.parameters(NoKeys)
        return Response(SecondFactorRule(self.collection).data)

    @extend_schema(
        summary="Require a second factor of admins",
        description="It holds from the next request on, also for you: without a second factor, "
        "you then get 403 until you have set one up in the browser.",
        request=SecondFactorRule,
        responses=SecondFactorRule,
    )
    def post(self, request: Request, slug: str) -> Response:
        rule = self.parsed(SecondFactorRule)
        change_second_factor_rule(collection=self.collection, **rule)
        return Response(rule)


class JudgingRulesBody(RequestSerializer):
    """The rules of judging, as an answer and as a request."""

    marks_aspects = serializers.BooleanField(
        required=False, help_text="Judges may mark what a match is about."
    )
    grades_blind_first = serializers.BooleanField(
        required=False, help_text="The adjudicator grades a case before seeing the two judgments."
    )
    spot_check_share = serializers.FloatField(
        required=False,
        min_value=0,
        max_value=1,
        help_text="Of agreed pairs that the adjudicator grades, too.",
    )
    repeat_share = serializers.FloatField(
        required=False,
        min_value=0,
        max_value=HIGHEST_REPEAT_SHARE,
        help_text="Of a judge's own pairs that come a second time.",
    )
    qualifying_rho = serializers.FloatField(
        required=False,
        allow_null=True,
        min_value=-1,
        max_value=1,
        help_text="The least Spearman ρ in training of who judges; null if none is needed.",
    )
    senior_rho = serializers.FloatField(
        required=False,
        allow_null=True,
        min_value=-1,
        max_value=1,
        help_text="The least Spearman ρ of who adjudicates; null if none is needed.",
    )
    proposes_grades = serializers.ChoiceField(
        PROPOSALS,
        required=False,
        allow_blank=True,
        help_text="Whether a grade is proposed from the marked steps of a method: in no query "
        "(empty), in `all`, or in `half` of those that are opened from then on.",
    )


class CollectionJudgingRules(CollectionView):
    roles = OWNERS

    @extend_schema(summary="How pairs are judged", responses=JudgingRulesBody)
    def get(self, request: Request, slug: str) -> Response:
        self.parameters(NoKeys)
        return Response(self.collection.judging_rules._asdict())

    @extend_schema(
        summary="Change how pairs are judged",
        description="What is not given stays. Judgments and decisions that exist stay as they are.",
        request=JudgingRulesBody,
        responses=JudgingRulesBody,
    )
    def post(self, request: Request, slug: str) -> Response:
        changes = self.parsed(JudgingRulesBody)
        collection = change_judging_rules(collection=self.collection, changes=changes)
        return Response(collection.judging_rules._asdict())


def _answer(view: CollectionView) -> Response:
    collection = collections_of(view.person).get(pk=view.collection.pk)
    return Response(CollectionAnswer(collection).data)
