"""The report on gaps in the API, for admins."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from evaluation.gaps.cost import gap_hours
from evaluation.gaps.measures import DEPTH
from evaluation.gaps.services import DEEPEST, GapsReport
from jobs.api import JobAnswer, accepted
from reports.api import StoredReportAnswer, freshness
from reports.pages import report_or_404
from reports.services import request_report
from web.api.serializers import RequestSerializer
from web.errors import UserFacingError


class GapsParameters(RequestSerializer):
    depth = serializers.IntegerField(
        default=DEPTH, min_value=1, max_value=DEEPEST, help_text="Of the lists."
    )
    system = serializers.ListField(
        child=serializers.CharField(max_length=60),
        default=list,
        max_length=1_000,
        help_text="The systems whose unjudged documents are judged. Default: all.",
    )

    @property
    def kind(self) -> GapsReport:
        values = self.validated_data
        return GapsReport(values["depth"], sorted(set(values["system"])))


class GapsAnswer(StoredReportAnswer):
    hours = serializers.FloatField(help_text="Of two judges and the adjudicator, for all pairs.")
    report = serializers.DictField(source="payload")


class UnjudgedDocuments(CollectionView):
    @extend_schema(
        summary="What unjudged documents could change",
        description="404 until the report has been computed for this depth and these systems.",
        parameters=[GapsParameters],
        responses=GapsAnswer,
    )
    def get(self, request: Request, slug: str) -> Response:
        report = report_or_404(self.parameters(GapsParameters).kind, self.collection)
        answer = {
            **freshness(report),
            "hours": gap_hours(self.collection, report.payload["pairs"]),
            "payload": report.payload,
        }
        return Response(GapsAnswer(answer).data)

    @extend_schema(
        summary="Compute what unjudged documents could change",
        request=GapsParameters,
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        kind = self.parser(GapsParameters).kind
        try:
            job = request_report(kind, collection=self.collection, requested_by=self.person)
        except UserFacingError as error:
            raise serializers.ValidationError({"system": [str(error)]}) from error
        return accepted(job)
