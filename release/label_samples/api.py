"""Samples of the citation labels in the API: draw one, follow it, read its rates."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from bundle.label_errors.rates import MEASURES, ErrorStratum, Rate
from jobs.api import JobAnswer, accepted
from jobs.context import DirectRun
from release.label_samples.reading import SampleLine, label_report, sample_lines
from release.label_samples.services import MOST_PAIRS, PAIRS, preview_sample, request_sample
from web.api.serializers import DryRun, found


class NewLabelSample(DryRun):
    slug = serializers.SlugField(
        max_length=60,
        help_text="The short name of the new collection. Another name draws other pairs.",
    )
    pairs = serializers.IntegerField(min_value=1, max_value=MOST_PAIRS, default=PAIRS)
    facet = serializers.CharField(
        default="", allow_blank=True, max_length=30, help_text="Of a collection with facets."
    )


class StratumAnswer(serializers.Serializer[ErrorStratum]):
    field = serializers.CharField()
    type = serializers.CharField()
    citation_label = serializers.IntegerField(source="label")
    population = serializers.IntegerField(help_text="Its pairs.")
    sampled = serializers.IntegerField(help_text="Those that are drawn.")


class LabelSampleAnswer(serializers.Serializer[SampleLine]):
    slug = serializers.CharField(
        source="sample.collection.slug", help_text="The collection in which it is judged."
    )
    facet = serializers.CharField(source="sample.facet")
    pairs = serializers.IntegerField()
    settled = serializers.IntegerField(help_text="Pairs with a final label, or set aside.")
    created_at = serializers.DateTimeField(source="sample.created_at")


class RateAnswer(serializers.Serializer[Rate]):
    scope = serializers.CharField(help_text="overall, field, type or stratum")
    field = serializers.CharField()
    type = serializers.CharField()
    measure = serializers.ChoiceField(MEASURES)
    population = serializers.IntegerField(allow_null=True)
    graded = serializers.IntegerField()
    counted = serializers.IntegerField()
    estimate = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    total = serializers.FloatField(allow_null=True)
    undefined = serializers.CharField()


class LabelSampleReport(serializers.Serializer[Any]):
    complete = serializers.BooleanField(help_text="There are no rates before.")
    strata = StratumAnswer(many=True)
    rates = RateAnswer(many=True)


class LabelSamples(CollectionView):
    @extend_schema(
        summary="Samples of the citation labels, newest first",
        responses=LabelSampleAnswer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(sample_lines(self.collection), LabelSampleAnswer)

    @extend_schema(
        summary="Draw a sample of the citation labels",
        description="A job makes the collection in which people judge it. With `dry_run`, the "
        "answer has the strata.",
        request=NewLabelSample,
        responses={200: StratumAnswer(many=True), 202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        asked = self.parsed(NewLabelSample)
        if asked.pop("dry_run"):
            drawn = preview_sample(collection=self.collection, work=DirectRun(), **asked)
            return Response(StratumAnswer(list(drawn.strata), many=True).data)  # type: ignore[arg-type]
        return accepted(
            request_sample(collection=self.collection, requested_by=self.person, **asked)
        )


class LabelSampleDetail(CollectionView):
    @extend_schema(summary="A sample of the labels with its rates", responses=LabelSampleReport)
    def get(self, request: Request, slug: str, label_sample: str) -> Response:
        samples = self.collection.label_samples.select_related("collection", "origin")
        report = label_report(found(samples, collection__slug=label_sample))
        rates = report.released.rates if report.complete else []
        answer = {"complete": report.complete, "strata": report.strata, "rates": rates}
        return Response(LabelSampleReport(answer).data)
