"""The report on corpus sizes in the API, for admins."""

from __future__ import annotations

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from evaluation.corpus_sizes.report import (
    DRAWS,
    FIELD_SIZE,
    LARGEST,
    MOST_DRAWS,
    MOST_RETRIEVERS,
    MOST_SIZES,
    SIZES,
    CorpusSizesReport,
)
from jobs.api import JobAnswer, accepted
from reports.api import StoredReportAnswer, freshness
from reports.services import request_report, stored_report
from web.api.serializers import RequestSerializer
from web.errors import UserFacingError


class CorpusSizesParameters(RequestSerializer):
    retrievers = serializers.ListField(
        child=serializers.CharField(max_length=60),
        default=list,
        max_length=MOST_RETRIEVERS,
        help_text="Default: BM25 and TF-IDF of abstracts.",
    )
    field_size = serializers.IntegerField(
        default=FIELD_SIZE,
        min_value=0,
        max_value=LARGEST,
        help_text="Documents in the sub-corpora of a field. 0 leaves the fields out.",
    )
    sizes = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST),
        default=list(SIZES),
        max_length=MOST_SIZES,
        help_text="Documents in the sub-corpora of the whole corpus.",
    )
    draws = serializers.IntegerField(
        default=DRAWS, min_value=1, max_value=MOST_DRAWS, help_text="Of each sample."
    )


class CorpusSizesAnswer(StoredReportAnswer):
    report = serializers.DictField(source="payload")


class CorpusSizes(CollectionView):
    @extend_schema(
        summary="Retrievers over sub-corpora of each field and of growing size",
        description="404 until the report has been computed.",
        responses=CorpusSizesAnswer,
    )
    def get(self, request: Request, slug: str) -> Response:
        report = stored_report(CorpusSizesReport(), self.collection)
        if report is None:
            raise Http404
        answer = {**freshness(report), "payload": report.payload}
        return Response(CorpusSizesAnswer(answer).data)

    @extend_schema(
        summary="Measure retrievers over sub-corpora",
        request=CorpusSizesParameters,
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        values = self.parser(CorpusSizesParameters).validated_data
        kind = CorpusSizesReport(**values)
        try:
            job = request_report(kind, collection=self.collection, requested_by=self.person)
        except UserFacingError as error:
            raise serializers.ValidationError({"retrievers": [str(error)]}) from error
        return accepted(job)
