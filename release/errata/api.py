"""Reports of errors in the API: list them, look at one, settle it."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from release.errata.models import LONGEST_TEXT, Erratum
from release.errata.services import settle_erratum
from web.api import found


class ErratumAnswer(serializers.Serializer[Erratum]):
    id = serializers.IntegerField()
    version = serializers.CharField(source="release.version")
    number = serializers.IntegerField(help_text="From 1, among the reports of the version.")
    query = serializers.CharField()
    docno = serializers.CharField(help_text="Empty: the whole query.")
    problem = serializers.CharField(help_text="In the reader's words. Never published.")
    email = serializers.CharField(help_text="Of the reader. Never published.")
    reported_at = serializers.DateTimeField()
    state = serializers.CharField(help_text="`open`, `accepted` or `declined`.")
    answer = serializers.CharField(help_text="Published: the outcome, or why it is declined.")
    settled_at = serializers.DateTimeField(allow_null=True)


class Settlement(serializers.Serializer[Any]):
    accept = serializers.BooleanField(help_text="Whether it is an error.")
    answer = serializers.CharField(max_length=LONGEST_TEXT, help_text="It is published.")


class Errata(CollectionView):
    @extend_schema(summary="Reports of errors, open ones first", responses=ErratumAnswer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        rows = Erratum.objects.of(self.collection).in_order().select_related("release")
        return self.paged(rows.defer("release__manifest"), ErratumAnswer)


class ErratumDetail(CollectionView):
    @extend_schema(summary="One report of an error", responses=ErratumAnswer)
    def get(self, request: Request, slug: str, erratum_id: int) -> Response:
        return Response(ErratumAnswer(self._erratum(erratum_id)).data)

    @extend_schema(
        summary="Settle a report of an error",
        description="409 with `already_settled` if it was settled before.",
        request=Settlement,
        responses=ErratumAnswer,
    )
    def post(self, request: Request, slug: str, erratum_id: int) -> Response:
        erratum = self._erratum(erratum_id)
        asked = self.parsed(Settlement)
        settled = settle_erratum(erratum=erratum, settled_by=self.person, **asked)
        return Response(ErratumAnswer(settled).data)

    def _erratum(self, erratum_id: int) -> Erratum:
        rows = Erratum.objects.of(self.collection).select_related("release__collection")
        return found(rows, pk=erratum_id)
