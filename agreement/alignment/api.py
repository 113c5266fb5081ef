"""Agreement with and without proposed grades in the API, for admins."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import row_or_404
from accounts.api import CollectionView
from agreement.alignment.report import AlignmentReport
from jobs.api import JobAnswer, accepted
from reports.api import StoredReportAnswer, freshness
from reports.services import request_report, stored_report


class ComparedMeasureAnswer(serializers.Serializer[Any]):
    """The medians over the queries of each group. `first` is of the grades before a proposal."""

    def get_fields(self) -> dict[str, Any]:
        medians = ("first", "with", "without", "difference", "p")
        return {
            "measure": serializers.CharField(),
            **{name: serializers.FloatField(allow_null=True) for name in medians},
            "queries_with": serializers.IntegerField(),
            "queries_without": serializers.IntegerField(),
            "interval": serializers.ListField(
                child=serializers.FloatField(),
                allow_null=True,
                help_text="The ends of the 95 % interval; null for fewer than ten queries a group.",
            ),
        }


class ProposalCountsAnswer(serializers.Serializer[Any]):
    proposals = serializers.IntegerField()
    differed = serializers.IntegerField(help_text="Of another grade than the judge's own.")
    followed = serializers.IntegerField()
    kept = serializers.IntegerField()
    other = serializers.IntegerField(help_text="Changed to a third grade.")
    unanswered = serializers.IntegerField()


class StudiedQueryAnswer(serializers.Serializer[Any]):
    query = serializers.CharField()
    block = serializers.IntegerField()
    proposes = serializers.BooleanField()
    pairs = serializers.IntegerField()
    values = serializers.DictField(child=serializers.FloatField(allow_null=True))
    first = serializers.DictField(child=serializers.FloatField(allow_null=True))


class AlignmentAnswer(StoredReportAnswer):
    facet = serializers.CharField()
    measures = ComparedMeasureAnswer(many=True)
    proposals = ProposalCountsAnswer()
    queries = StudiedQueryAnswer(many=True)


class AlignmentReports(CollectionView):
    @extend_schema(
        summary="Agreement with and without proposed grades",
        description="404 until the report has been computed by this version.",
        responses=AlignmentAnswer,
    )
    def get(self, request: Request, slug: str) -> Response:
        report = row_or_404(stored_report(AlignmentReport(), self.collection))
        return Response(AlignmentAnswer({**report.payload, **freshness(report)}).data)

    @extend_schema(
        summary="Compare agreement with and without proposed grades",
        request=None,
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        self.parsed()
        job = request_report(
            AlignmentReport(), collection=self.collection, requested_by=self.person
        )
        return accepted(job)
