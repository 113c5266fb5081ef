"""The report on pool bias in the API, for admins."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from evaluation.pool_bias.services import PoolBiasReport
from jobs.api import Busy, JobAnswer, accepted
from reports.services import changed_since, request_report, stored_report
from web.api.serializers import RequestSerializer


class LeaveOut(RequestSerializer):
    leave_out = serializers.ListField(
        child=serializers.CharField(max_length=60),
        default=[],
        max_length=100,
        help_text="Sources to leave out together. Each source is left out alone anyway.",
    )


class PoolBiasAnswer(serializers.Serializer[Any]):
    computed_at = serializers.DateTimeField()
    up_to_date = serializers.BooleanField()
    changed = serializers.CharField(
        help_text="What changed since it was computed, as in “the labels”."
    )
    paragraph = serializers.CharField(help_text="What the collection supports, in words.")
    report = serializers.DictField(source="payload")


class PoolBias(CollectionView):
    @extend_schema(
        summary="How far the pools can be trusted",
        description="404 until the report has been computed.",
        responses=PoolBiasAnswer,
    )
    def get(self, request: Request, slug: str) -> Response:
        report = stored_report(PoolBiasReport(), self.collection)
        if report is None:
            raise Http404
        changed = changed_since(report)
        answer = {
            "computed_at": report.computed_at,
            "up_to_date": not changed,
            "changed": changed,
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
