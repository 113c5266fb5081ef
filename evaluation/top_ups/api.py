"""Pool rounds in the API. For admins only, because they name runs and reasons."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from annotation.team import OLD_SHARE, plan_new_pairs
from annotation.team.plans import eligible_annotators
from evaluation.top_ups.services import (
    TopUp,
    open_round,
    preview_top_up,
    request_top_up,
)
from jobs.api import Busy, JobAnswer, accepted
from jobs.context import DirectRun
from jobs.models import Job
from pooling.models import RoundChoice
from pooling.rounds.listing import RoundRow, round_rows
from pooling.rounds.manifest import round_manifest_text
from pooling.rounds.plans import DEFAULT_DEPTH, LONGEST_REASON
from web.api.serializers import DryRun, found


class RoundLine(serializers.Serializer[RoundRow]):
    number = serializers.IntegerField(source="pool_round.number")
    reason = serializers.CharField(source="pool_round.reason")
    choice = serializers.ChoiceField(RoundChoice.values, source="pool_round.choice")
    depth = serializers.IntegerField(source="pool_round.depth")
    runs = serializers.ListField(child=serializers.CharField())
    documents = serializers.IntegerField()
    pools = serializers.IntegerField(help_text="Pools that got a document.")
    frozen_at = serializers.DateTimeField(source="pool_round.frozen_at")
    sha256 = serializers.CharField(help_text="Of the manifest.")


class NewRound(DryRun):
    runs = serializers.ListField(
        child=serializers.CharField(max_length=60), min_length=1, max_length=200
    )
    reason = serializers.CharField(
        max_length=LONGEST_REASON, help_text="The manifest publishes it."
    )
    choice = serializers.ChoiceField(RoundChoice.values, default=RoundChoice.ALL_UNJUDGED.value)
    depth = serializers.IntegerField(default=DEFAULT_DEPTH, min_value=1, max_value=1_000)
    parameters = serializers.DictField(default=dict, help_text="Of a sample: `bounds` and `rates`.")
    seed = serializers.CharField(default="", allow_blank=True, max_length=200)
    measure = serializers.CharField(
        default="", allow_blank=True, max_length=60, help_text="Of `decisive`."
    )

    @property
    def top_up(self) -> TopUp:
        values = {key: value for key, value in self.validated_data.items() if key != "dry_run"}
        return TopUp.of(values)


class RoundPreviewAnswer(serializers.Serializer[Any]):
    round = serializers.IntegerField()
    documents = serializers.DictField(child=serializers.IntegerField(), help_text="By query paper.")
    total = serializers.IntegerField()
    by_run = serializers.DictField(child=serializers.IntegerField())
    pairs = serializers.IntegerField(help_text="For all queries of the query papers.")
    without_text = serializers.IntegerField()
    draft_pools = serializers.IntegerField(help_text="Pools that are not frozen get nothing.")


class PoolRounds(CollectionView):
    @extend_schema(summary="Pool rounds, by number", responses=RoundLine(many=True))
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(round_rows(self.collection), RoundLine)

    @extend_schema(
        summary="Add a round to the frozen pools",
        description="A job adds it. With `dry_run`, the answer is what it would add.",
        request=NewRound,
        responses={200: RoundPreviewAnswer, 202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        serializer = self.parser(NewRound)
        top_up = serializer.top_up
        if serializer.validated_data["dry_run"]:
            preview = preview_top_up(self.collection, top_up, DirectRun())
            return Response(RoundPreviewAnswer(preview.as_json()).data)
        job = request_top_up(collection=self.collection, top_up=top_up, requested_by=self.person)
        if job.parameters != top_up.as_json():
            raise Busy
        return accepted(job)


class NewOpening(DryRun):
    substitutes = serializers.ListField(
        child=serializers.CharField(max_length=150),
        default=list,
        max_length=200,
        help_text="Annotators who may take over the seats of people who can no longer judge.",
    )
    old_share = serializers.FloatField(
        default=OLD_SHARE,
        min_value=0,
        max_value=1,
        help_text="Old pairs that come among the new ones, as a share of these.",
    )


class SeatChangeAnswer(serializers.Serializer[Any]):
    query = serializers.CharField()
    number = serializers.IntegerField()
    annotator = serializers.CharField()


class NewPairsAnswer(serializers.Serializer[Any]):
    pairs = serializers.DictField(child=serializers.IntegerField(), help_text="By query.")
    changes = SeatChangeAnswer(many=True)


class RoundOpening(CollectionView):
    @extend_schema(
        summary="Open the candidates of pool rounds in open queries",
        description="Many queries are a job. With `dry_run`, the answer is the plan.",
        request=NewOpening,
        responses={200: NewPairsAnswer, 202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        values = self.parser(NewOpening).validated_data
        people = eligible_annotators(self.collection)
        substitutes = [found(people, username=name) for name in values["substitutes"]]
        plan = plan_new_pairs(collection=self.collection, substitutes=substitutes)
        plan.check()
        answer = {
            "pairs": dict(plan.pairs),
            "changes": [change._asdict() for change in plan.changes],
        }
        if not values["dry_run"]:
            done = open_round(
                collection=self.collection,
                substitutes=substitutes,
                requested_by=self.person,
                digest=plan.digest,
                old_share=values["old_share"],
            )
            if isinstance(done, Job):
                return accepted(done)
        return Response(NewPairsAnswer(answer).data)


class RoundManifest(CollectionView):
    @extend_schema(
        operation_id="collections_pool_rounds_manifest",
        summary="The manifest of a pool round",
        description="With it, `rebuild_pools` chooses the documents again and compares them.",
        responses={(200, "application/json"): OpenApiTypes.OBJECT},
    )
    def get(self, request: Request, slug: str, round_number: int) -> HttpResponseBase:
        row = found(self.collection.pool_rounds.all(), number=round_number)
        return HttpResponse(round_manifest_text(row), content_type="application/json")
