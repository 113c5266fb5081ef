"""The API to make a version public or private, and to read which it is."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from database.dry_run import rolled_back_if
from release.models import PublicPeriod, Release
from release.publicity import make_private, make_public
from web.api.serializers import DryRun, found


class PeriodAnswer(serializers.Serializer[PublicPeriod]):
    began_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class PublicityAnswer(serializers.Serializer[Any]):
    version = serializers.CharField()
    public = serializers.BooleanField(help_text="Whether everybody can read and download it.")
    periods = PeriodAnswer(many=True, help_text="When it was public.")


class Publicity(CollectionView):
    @extend_schema(summary="Whether a release is public", responses=PublicityAnswer)
    def get(self, request: Request, slug: str, version: str) -> Response:
        return _answer(self._release(version))

    @extend_schema(
        summary="Make a release public",
        description="Everybody can read and download it, and copies cannot be taken back. A "
        "release that is public stays so. With `dry_run`, the answer as it would be.",
        request=DryRun,
        responses=PublicityAnswer,
    )
    def post(self, request: Request, slug: str, version: str) -> Response:
        release = self._release(version)
        with rolled_back_if(self.parsed(DryRun)["dry_run"]):
            make_public(release=release, person=self.person)
            return _answer(release)

    @extend_schema(
        summary="Make a release private again",
        description="A release that is private stays so. With `dry_run`, the answer as it would "
        "be.",
        parameters=[DryRun],
        responses={200: PublicityAnswer},
    )
    def delete(self, request: Request, slug: str, version: str) -> Response:
        release = self._release(version)
        with rolled_back_if(self.parameters(DryRun).validated_data["dry_run"]):
            make_private(release=release, person=self.person)
            return _answer(release)

    def _release(self, version: str) -> Release:
        return found(self.collection.releases.select_related("collection"), version=version)


def _answer(release: Release) -> Response:
    periods = list(release.public_periods.order_by("pk").defer("page"))
    public = any(period.ended_at is None for period in periods)
    answer = {"version": release.version, "public": public, "periods": periods}
    return Response(PublicityAnswer(answer).data)
