"""Collections in the API. Here and not in accounts, since a new one is given its guidelines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import ApiView, CollectionView
from accounts.models import (
    EVERY_ROLE,
    HIGHEST_GRADE,
    OWNERS,
    Collection,
    Membership,
    Role,
    User,
)
from accounts.tokens.scopes import EVERY_SCOPE, SAFE_METHODS, TokenScope
from annotation.guidelines.collection_setup import change_facets_and_scale
from annotation.services import set_up_collection
from corpus.facets import FacetError, FacetPlan, facets_from
from corpus.models import Facet
from retrieval.retrievers import ANALYSES
from web.api.serializers import RequestSerializer

FACETS_HELP = (
    '"csfcube", "none", or a list of objects with key, name and labels. See docs/formats.md.'
)


class FacetAnswer(serializers.Serializer[Facet]):
    key = serializers.CharField(help_text="Empty in a collection without facets.")
    name = serializers.CharField()
    labels = serializers.ListField(child=serializers.CharField())


class CollectionAnswer(serializers.Serializer[Collection]):
    """The facts that every member may know. The seed is left out, because orders follow from it."""

    slug = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    licence = serializers.CharField(help_text="Of the judgments.")
    corpus_licence = serializers.CharField(help_text="Of the documents' texts.")
    facets = FacetAnswer(many=True)
    highest_grade = serializers.IntegerField(help_text="The grades are 0 to this one.")
    relevant_from = serializers.IntegerField(help_text="The lowest grade that counts as relevant.")
    archived_at = serializers.DateTimeField(
        allow_null=True, help_text="Since when it can be read but not changed."
    )
    roles = serializers.SerializerMethodField(help_text="Your own.")

    def get_roles(self, collection: Collection) -> list[str]:
        return [membership.role for membership in collection.memberships.all()]


class FacetsAndScale(RequestSerializer):
    facets = serializers.JSONField(
        default="csfcube",  # type: ignore[arg-type]  # JSON is not only objects
        help_text=FACETS_HELP,
    )
    highest_grade = serializers.IntegerField(min_value=1, max_value=HIGHEST_GRADE, default=3)
    relevant_from = serializers.IntegerField(
        min_value=1,
        max_value=HIGHEST_GRADE,
        allow_null=True,
        default=None,
        help_text="The default is 2, or 1 if there are two grades.",
    )

    def validate_facets(self, value: Any) -> tuple[FacetPlan, ...]:
        try:
            return facets_from(value)
        except FacetError as error:
            raise serializers.ValidationError(str(error)) from error


class NewCollection(FacetsAndScale):
    slug = serializers.SlugField(max_length=60)
    name = serializers.CharField(max_length=120)
    description = serializers.CharField(allow_blank=True, default="")
    licence = serializers.CharField(max_length=120, allow_blank=True, default="")
    corpus_licence = serializers.CharField(
        max_length=120,
        allow_blank=True,
        default="",
        help_text="Of the documents' texts. A release contains texts only with it.",
    )
    seed = serializers.CharField(
        max_length=64, allow_blank=True, default="", help_text="Drawn at random if not given."
    )
    analysis = serializers.ChoiceField(
        list(ANALYSES),
        allow_blank=True,
        default="",
        help_text="How BM25 and TF-IDF compare words; by default, by the documents' language.",
    )
    owner_role = serializers.ChoiceField(
        list(OWNERS),
        default=Role.ADMIN.value,
        help_text="Yours: admin, or owner-annotator if you judge. An admin can never judge here.",
    )


def collections_of(person: User, roles: Iterable[str] = EVERY_ROLE) -> QuerySet[Collection]:
    """The collections in which the person has one of the roles, ready for `CollectionAnswer`.

    They come without the memberships of others.
    """
    roles = tuple(roles)
    own_memberships = Membership.objects.filter(user=person, role__in=roles).order_by("role")
    return Collection.objects.with_role(person, roles).prefetch_related(
        "facets", Prefetch("memberships", own_memberships)
    )


def answer_about(collection: Collection, person: User, status: int = 200) -> Response:
    row = collections_of(person).get(pk=collection.pk)
    return Response(CollectionAnswer(row).data, status=status)


class Collections(ApiView):
    @classmethod
    def scopes_for(cls, method: str) -> frozenset[TokenScope]:
        return EVERY_SCOPE if method in SAFE_METHODS else super().scopes_for(method)

    def check_person(self) -> None:
        if self.request.method == "POST" and not self.person.is_staff:
            raise Http404

    @extend_schema(
        summary="The collections you have a role in", responses=CollectionAnswer(many=True)
    )
    def get(self, request: Request) -> Response:
        return self.paged(collections_of(self.person, self.acting_roles), CollectionAnswer)

    @extend_schema(
        summary="Set up a collection",
        description="With its facets, its scale and default guidelines; you become its admin or "
        "owner-annotator. Staff only: for other users, the address does not exist (404).",
        request=NewCollection,
        responses={201: CollectionAnswer},
    )
    def post(self, request: Request) -> Response:
        self.check_person()
        collection = set_up_collection(owner=self.person, **self.parsed(NewCollection))
        return answer_about(collection, self.person, status=201)


class CollectionDetail(CollectionView):
    roles = EVERY_ROLE

    @extend_schema(summary="One collection and your roles in it", responses=CollectionAnswer)
    def get(self, request: Request, slug: str) -> Response:
        return answer_about(self.collection, self.person)


class CollectionFacets(CollectionView):
    roles = OWNERS

    @extend_schema(
        summary="Change the facets and the scale",
        description="All of them at once: what is not given gets its default. They are fixed once "
        "a query is open for judging (409).",
        request=FacetsAndScale,
        responses=CollectionAnswer,
    )
    def post(self, request: Request, slug: str) -> Response:
        change_facets_and_scale(collection=self.collection, **self.parsed(FacetsAndScale))
        return answer_about(self.collection, self.person)
