"""Baselines in the API: what there is, and the request to make them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from jobs.api import Busy, JobAnswer, accepted
from scoring.baselines.catalogue import BASELINES, Distance
from scoring.baselines.rows import BaselineRow, baseline_rows
from scoring.baselines.services import request_baselines
from web.api.serializers import RequestSerializer


class BaselinesToMake(RequestSerializer):
    names = serializers.ListField(
        child=serializers.ChoiceField(list(BASELINES)),
        default=[],
        help_text="Default: those of CSFCube’s paper that need no encoder, or all of the paper "
        "with one.",
    )
    encoder = serializers.CharField(
        max_length=200,
        default="",
        allow_blank=True,
        help_text="One of the server’s setting ENCODERS, for the baselines that need one.",
    )
    distance = serializers.ChoiceField(
        ["", *map(str, Distance)],
        default="",
        help_text="How vectors are compared. Empty: the distance of each baseline.",
    )


class BaselineSystem(serializers.Serializer[Any]):
    name = serializers.CharField(source="system.name")
    current = serializers.BooleanField(
        source="is_current", help_text="Whether the baseline is still defined in this way."
    )


class BaselineAnswer(serializers.Serializer[BaselineRow]):
    name = serializers.CharField(source="baseline.name")
    variant = serializers.BooleanField(
        source="baseline.is_variant", help_text="Whether CSFCube’s paper does not have it."
    )
    needs_encoder = serializers.BooleanField(source="baseline.needs_encoder")
    systems = BaselineSystem(many=True, help_text="Those that were made by it.")


class Baselines(CollectionView):
    @extend_schema(
        summary="Baselines, with the systems made by them", responses=BaselineAnswer(many=True)
    )
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(baseline_rows(self.collection), BaselineAnswer)

    @extend_schema(
        summary="Make baselines and score them",
        description="Each ranks the judged pool of every query again and becomes a system, which "
        "can be deleted below `systems/`.",
        request=BaselinesToMake,
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        asked = self.parsed(BaselinesToMake)
        job = request_baselines(collection=self.collection, requested_by=self.person, **asked)
        if job.parameters != asked:
            raise Busy
        return accepted(job)
