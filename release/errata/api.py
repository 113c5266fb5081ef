"""Reports of errors in the API: list them, look at one, answer it."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from database.dry_run import rolled_back_if
from release.errata.models import LONGEST_TEXT, Erratum
from release.errata.services import decline_errata, settle_erratum
from web.api.serializers import DryRun, found

MOST_IDS = 1_000  # in one request


class ErratumAnswer(serializers.Serializer[Erratum]):
    id = serializers.IntegerField()
    version = serializers.CharField(source="release.version")
    number = serializers.IntegerField(help_text="From 1, among the reports of the version.")
    query = serializers.CharField()
    docno = serializers.CharField(help_text="Empty: the whole query.")
    problem = serializers.CharField(help_text="In the reader's words. Never published.")
    email = serializers.CharField(help_text="Of the reader. Never published.")
    network = serializers.CharField(
        help_text="The same text for all reports from one network. Never published. Empty for a "
        "report of an admin."
    )
    reported_at = serializers.DateTimeField()
    state = serializers.CharField(help_text="`open`, `accepted` or `declined`.")
    answer = serializers.CharField(help_text="Published: the outcome, or why it is declined.")
    settled_at = serializers.DateTimeField(allow_null=True)


class Settlement(DryRun):
    accept = serializers.BooleanField(help_text="Whether it is an error.")
    answer = serializers.CharField(max_length=LONGEST_TEXT, help_text="It is published.")


class BulkDecline(DryRun):
    answer = serializers.CharField(max_length=LONGEST_TEXT, help_text="It is published.")
    ids = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**63 - 1),
        required=False,
        max_length=MOST_IDS,
        help_text="The reports to decline.",
    )
    up_to = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=2**63 - 1,
        help_text="Without `ids`: all open reports up to this id that match the keys below. Give "
        "the highest id you saw, so that no report is declined unread.",
    )
    version = serializers.CharField(required=False, help_text="Only reports about this version.")
    network = serializers.CharField(required=False, help_text="Only reports from this network.")
    words = serializers.CharField(
        required=False, help_text="Only reports with each of these words in their ids or text."
    )


class Declined(serializers.Serializer[Any]):
    declined = serializers.IntegerField(help_text="How many. Answered reports are not counted.")


class ErrataDecline(CollectionView):
    @extend_schema(
        summary="Decline many open reports with one answer",
        description="Answered reports stay as they are. With `dry_run`, how many it would decline.",
        request=BulkDecline,
        responses=Declined,
    )
    def post(self, request: Request, slug: str) -> Response:
        asked = self.parsed(BulkDecline)
        with rolled_back_if(asked.pop("dry_run")):
            count = decline_errata(collection=self.collection, settled_by=self.person, **asked)
        return Response({"declined": count})


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
        summary="Answer a report of an error",
        description="It is answered once. 409 with `already_settled` if it was answered "
        "before. With `dry_run`, the report as it would be.",
        request=Settlement,
        responses=ErratumAnswer,
    )
    def post(self, request: Request, slug: str, erratum_id: int) -> Response:
        erratum = self._erratum(erratum_id)
        asked = self.parsed(Settlement)
        with rolled_back_if(asked.pop("dry_run")):
            settled = settle_erratum(erratum=erratum, settled_by=self.person, **asked)
        return Response(ErratumAnswer(settled).data)

    def _erratum(self, erratum_id: int) -> Erratum:
        rows = Erratum.objects.of(self.collection).select_related("release__collection")
        return found(rows, pk=erratum_id)
