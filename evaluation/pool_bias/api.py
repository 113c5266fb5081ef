"""The report on pool bias in the API, for admins."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from evaluation.pool_bias.services import PoolBiasReport
from jobs.api import Busy, JobAnswer, accepted
from reports.api import StoredReportAnswer, freshness
from reports.pages import report_or_404
from reports.services import request_report
from web.api.serializers import RequestSerializer


class LeaveOut(RequestSerializer):
    leave_out = serializers.ListField(
        child=serializers.CharField(max_length=60),
        default=[],
        max_length=100,
        help_text="Sources to leave out together. Each source is left out alone anyway.",
    )


class PoolBiasAnswer(StoredReportAnswer):
    paragraph = serializers.CharField(help_text="What the collection supports, in words.")
    report = serializers.DictField(source="payload")


class PoolBias(CollectionView):
    @extend_schema(
        summary="How far the pools can be trusted",
        description="404 until the report has been computed.",
        responses=PoolBiasAnswer,
    )
    def get(self, request: Request, slug: str) -> Response:
        report = report_or_404(PoolBiasReport(), self.collection)
        answer = {
            **freshness(report),
            "paragraph": report.summary["paragraph"],
            "payload": report.payload,
        }
        return Response(PoolBiasAnswer(answer).data)

    @extend_schema(
        summary="Compute the report on pool bias",
        request=LeaveOut,
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        kind = PoolBiasReport(self.parsed(LeaveOut)["leave_out"])
        job = request_report(kind, collection=self.collection, requested_by=self.person)
        if job.parameters != kind.parameters:
            raise Busy
        return accepted(job)
