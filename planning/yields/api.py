"""The report on yields in the API, for admins."""

from __future__ import annotations

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from planning.yields.report import shown_yields
from reports.api import StoredReportAnswer, freshness


class YieldsAnswer(StoredReportAnswer):
    seconds_a_judgment = serializers.FloatField(help_text="Of judgments to come.")
    judgments = serializers.IntegerField()
    assumed = serializers.IntegerField(help_text="Judgments without a measured time.")
    waiting = serializers.IntegerField(help_text="Judged pairs without a final grade.")
    groups = serializers.ListField(child=serializers.DictField())
    calibration = serializers.DictField(allow_null=True)
    advice = serializers.ListField(
        child=serializers.DictField(), help_text="Of every query in judging."
    )


class Yields(CollectionView):
    @extend_schema(
        summary="Relevant documents per hour, found and expected, and advice to stop",
        description="404 until the report has been computed.",
        responses=YieldsAnswer,
    )
    def get(self, request: Request, slug: str) -> Response:
        stored = shown_yields(self.collection)
        if stored is None or stored.report is None:
            raise Http404
        calibration = stored.calibration
        answer = {
            **freshness(stored.report),
            **stored.payload["hours"],
            "groups": [group._asdict() for group in stored.groups],
            "calibration": calibration
            and {
                **calibration._asdict(),
                "bins": [part._asdict() for part in calibration.bins],
            },
            "advice": [
                {
                    **advice._asdict(),
                    "outlook": advice.outlook and advice.outlook._asdict(),
                    "stop": advice.says_stop,
                }
                for advice in stored.advice.values()
            ],
        }
        return Response(YieldsAnswer(answer).data)
