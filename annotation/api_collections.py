"""Collections in the API. Here and not in accounts, since a new one is given its guidelines."""

from __future__ import annotations

from typing import Any

from django.db.models import Prefetch, QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import ApiView, CollectionView
from accounts.models import Collection, Membership, Role, User
from annotation.services import set_up_collection
from corpus.models import Facet


class FacetAnswer(serializers.Serializer[Facet]):
    key = serializers.CharField()
    name = serializers.CharField()


class CollectionAnswer(serializers.Serializer[Collection]):
    """What everybody in it may know; the seed is not among it, since orders follow from it."""

    slug = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    licence = serializers.CharField()
    facets = FacetAnswer(many=True)
    roles = serializers.SerializerMethodField(help_text="Your own.")

    def get_roles(self, collection: Collection) -> list[str]:
        return [membership.role for membership in collection.memberships.all()]


class NewCollection(serializers.Serializer[Any]):
    slug = serializers.SlugField(max_length=60)
    name = serializers.CharField(max_length=120)
    description = serializers.CharField(allow_blank=True, default="")
    licence = serializers.CharField(max_length=120, allow_blank=True, default="")
    seed = serializers.CharField(
        max_length=64, allow_blank=True, default="", help_text="Drawn at random if not given."
    )


def collections_of(person: User) -> QuerySet[Collection]:
    """The person's collections, ready for `CollectionAnswer`: without the memberships of others."""
    own_memberships = Membership.objects.filter(user=person).order_by("role")
    return Collection.objects.visible_to(person).prefetch_related(
        "facets", Prefetch("memberships", own_memberships)
    )


class Collections(ApiView):
    @extend_schema(
        summary="The collections you have a role in", responses=CollectionAnswer(many=True)
    )
    def get(self, request: Request) -> Response:
        return self.paged(collections_of(self.person), CollectionAnswer)

    @extend_schema(
        summary="Set up a collection",
        description="With the default facets and guidelines; you become its admin. "
        "Staff only: for other users, the address does not exist (404).",
        request=NewCollection,
        responses={201: CollectionAnswer},
    )
    def post(self, request: Request) -> Response:
        if not self.person.is_staff:
            raise Http404
        collection = set_up_collection(owner=self.person, **self.parsed(NewCollection))
        return Response(
            CollectionAnswer(collections_of(self.person).get(pk=collection.pk)).data, status=201
        )


class CollectionDetail(CollectionView):
    roles = tuple(Role.values)

    @extend_schema(summary="One collection and your roles in it", responses=CollectionAnswer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(
            CollectionAnswer(collections_of(self.person).get(pk=self.collection.pk)).data
        )
