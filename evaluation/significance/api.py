"""Significance of differences of systems in the API, for admins."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from evaluation.significance.answers import compare_stored
from evaluation.significance.stored_values import ALL
from evaluation.significance.tables import SYSTEM_FIELDS
from scoring.statistics.comparison import SEED
from web.api.serializers import RequestSerializer


class SignificanceParameters(RequestSerializer):
    measure = serializers.CharField(
        max_length=100,
        default="",
        allow_blank=True,
        help_text="A measure with stored scores, like nDCG@10. Empty: the one that the page shows.",
    )
    baseline = serializers.CharField(
        max_length=100,
        default="",
        allow_blank=True,
        help_text="A system. Empty: the first with bm25 in its name.",
    )
    facet = serializers.CharField(max_length=60, default=ALL, help_text="A facet’s key, or all.")
    seed = serializers.CharField(max_length=64, default=SEED, help_text="Of the sign flips.")
    all_pairs = serializers.BooleanField(
        default=False, help_text="Also compare all pairs of systems, by Tukey’s HSD."
    )


class SignificanceAnswer(serializers.Serializer[Any]):
    measure = serializers.CharField()
    facet = serializers.CharField()
    baseline = serializers.CharField()
    queries = serializers.IntegerField()
    left_out = serializers.IntegerField(help_text="Queries for which not every system has a value.")
    flips = serializers.IntegerField(help_text="Random sign flips, or all that there are.")
    seed = serializers.CharField()
    detectable_difference = serializers.FloatField(allow_null=True)
    systems = serializers.ListField(
        child=serializers.DictField(), help_text=f"With the keys {', '.join(SYSTEM_FIELDS)}."
    )
    all_pairs = serializers.ListField(child=serializers.DictField())
    all_pairs_undefined = serializers.CharField(allow_null=True)
    out_of_date = serializers.ListField(
        child=serializers.CharField(), help_text="Systems whose scores are not of now."
    )


class Significance(CollectionView):
    @extend_schema(
        summary="Systems compared with a baseline",
        description="By their stored scores: paired t test and sign-flip test, both with Holm’s "
        "adjustment, effect size and the smallest detectable difference.",
        parameters=[SignificanceParameters],
        responses=SignificanceAnswer,
    )
    def get(self, request: Request, slug: str) -> Response:
        asked = self.parameters(SignificanceParameters).validated_data
        compared = compare_stored(self.collection, **asked)
        return Response(SignificanceAnswer(compared.as_json()).data)
