"""Runs and pools in the API: who found what at which rank, so admins only."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Prefetch
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView, FormBody, JsonBody, found
from corpus.models import Document
from jobs.api import Busy, JobAnswer, accepted
from jobs.models import Job
from pooling.import_api import RunUpload, imported
from pooling.models import Candidate, Contribution, Pool, PoolBuild, Run
from pooling.services import (
    DEFAULT_DEPTH,
    DEFAULT_STRATEGY,
    ONLY,
    PoolPlan,
    builds_with_pools,
    manifest_text,
    request_pools,
    request_run,
    run_lines,
    usually_forced,
)
from pooling.strategies import MODES, STRATEGIES

DEEPEST = 100_000


class RunAnswer(serializers.Serializer[Run]):
    name = serializers.CharField()
    kind = serializers.CharField()
    parameters = serializers.DictField()
    depth = serializers.IntegerField(allow_null=True)
    sha256 = serializers.CharField()
    report = serializers.DictField()
    lists = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class Retrieval(serializers.Serializer[Any]):
    retriever = serializers.CharField(max_length=60, help_text="A built-in one, as `bm25_title`.")
    depth = serializers.IntegerField(min_value=1, max_value=DEEPEST, default=DEFAULT_DEPTH)


class PoolLine(serializers.Serializer[Pool]):
    docno = serializers.CharField(source="query_paper.document.docno")
    size = serializers.IntegerField()
    frozen_at = serializers.DateTimeField(allow_null=True)
    retriever_order = serializers.ListField(child=serializers.CharField())
    shortfall = serializers.DictField(child=serializers.IntegerField())
    depth = serializers.DictField(child=serializers.IntegerField(allow_null=True))


class BuildLine(serializers.Serializer[PoolBuild]):
    id = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    pools = serializers.IntegerField(
        source="pools_left", help_text="Those that no later building has replaced."
    )


class ContributionAnswer(serializers.Serializer[Contribution]):
    source = serializers.CharField()  # type: ignore[assignment]  # the base class has one
    rank = serializers.IntegerField(allow_null=True)
    score = serializers.FloatField(allow_null=True)
    drawn = serializers.BooleanField()


class CandidateAnswer(serializers.Serializer[Candidate]):
    docno = serializers.CharField(source="document.docno")
    position = serializers.IntegerField()
    excluded = serializers.CharField()
    inclusion = serializers.FloatField(
        allow_null=True, help_text="Of a sample: the probability with which it was drawn."
    )
    contributions = ContributionAnswer(many=True)


class PoolAnswer(PoolLine):
    manifest = serializers.DictField(source="build.manifest")
    candidates = CandidateAnswer(many=True)


class Plan(serializers.Serializer[Any]):
    """A strategy with its parameters, or `n` and `mode` for the two that take n of each run."""

    strategy = serializers.ChoiceField(list(STRATEGIES), required=False)
    parameters = serializers.DictField(
        required=False, help_text="Of the strategy; those left out have its defaults."
    )
    n = serializers.IntegerField(
        min_value=1,
        max_value=10_000,
        required=False,
        help_text="Documents that each retriever draws.",
    )
    mode = serializers.ChoiceField(sorted(MODES), required=False)
    forced = serializers.ListField(
        child=serializers.CharField(max_length=60),
        required=False,
        help_text="Sources taken whole, first: `cited`, or imported runs. Not named: `cited`, "
        "unless it is excluded.",
    )
    excluded = serializers.ListField(
        child=serializers.CharField(max_length=60),
        default=[],
        help_text="Sources whose documents are known positives, of which none is drawn.",
    )
    only = serializers.ListField(
        child=serializers.ChoiceField(ONLY),
        default=[],
        help_text="What drawn documents must meet, against the query paper.",
    )
    seed = serializers.CharField(max_length=64, allow_blank=True, default="")
    runs = serializers.ListField(
        child=serializers.CharField(max_length=60),
        default=[],
        help_text="None named: every run but judgments, and those forced or excluded.",
    )
    depth = serializers.IntegerField(min_value=1, max_value=DEEPEST, default=DEFAULT_DEPTH)

    def validate(self, asked: dict[str, Any]) -> dict[str, Any]:
        if ("strategy" in asked) == ("n" in asked):
            raise serializers.ValidationError({"n": "Give either n or a strategy."})
        if "strategy" in asked and "mode" in asked:
            raise serializers.ValidationError({"mode": "Only n has a mode; the strategy is one."})
        return asked

    def plan(self) -> PoolPlan:
        asked = dict(self.validated_data)
        n, mode = asked.pop("n", None), asked.pop("mode", DEFAULT_STRATEGY)
        if n is not None:
            asked |= {"strategy": mode, "parameters": {"n": n}}
        asked.setdefault("forced", usually_forced(asked["excluded"]))
        return PoolPlan.of({"parameters": {}, **asked})


class Runs(CollectionView):
    parser_classes = [JsonBody, FormBody]

    @extend_schema(summary="Runs, by name", responses=RunAnswer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        rows = self.collection.runs.annotate(lists=Count("rankings")).order_by("name")
        return self.paged(rows, RunAnswer)

    @extend_schema(
        summary="Import a run file or qrels, or let a built-in retriever rank",
        request={"multipart/form-data": RunUpload, "application/json": Retrieval},
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        is_file = (request.content_type or "").startswith("multipart/")
        return accepted(imported(self) if is_file else self._retrieved())

    def _retrieved(self) -> Job:
        asked = self.parsed(Retrieval)
        job = request_run(
            collection=self.collection,
            name=asked["retriever"],
            depth=asked["depth"],
            requested_by=self.person,
        )
        if job.parameters.get("depth") != asked["depth"]:
            raise Busy
        return job


class OneRun(CollectionView):
    @extend_schema(summary="One run", responses=RunAnswer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        rows = self.collection.runs.annotate(lists=Count("rankings"))
        return Response(RunAnswer(found(rows, name=name)).data)


class RunFile(CollectionView):
    @extend_schema(
        operation_id="collections_runs_file",
        summary="A run as a TREC file",
        responses={(200, "text/plain"): OpenApiTypes.STR},
    )
    def get(self, request: Request, slug: str, name: str) -> HttpResponseBase:
        run = found(self.collection.runs.all(), name=name)
        return StreamingHttpResponse(run_lines(run), content_type="text/plain; charset=utf-8")


class Pools(CollectionView):
    @extend_schema(summary="Pools, by docno of the query paper", responses=PoolLine(many=True))
    def get(self, request: Request, slug: str) -> Response:
        rows = (
            Pool.objects.filter(query_paper__collection=self.collection)
            .select_related("query_paper__document")
            .annotate(size=Count("candidates"))
            .order_by("query_paper__document__docno")
        )
        return self.paged(rows, PoolLine)

    @extend_schema(
        summary="Build pools",
        description="Of every query paper whose pool is not frozen; drafts are replaced.",
        request=Plan,
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        asked = Plan(data=request.data)
        asked.is_valid(raise_exception=True)
        plan = asked.plan()
        job = request_pools(collection=self.collection, plan=plan, requested_by=self.person)
        if job.parameters != plan.as_json():
            raise Busy
        return accepted(job)


class OnePool(CollectionView):
    @extend_schema(
        summary="One pool with every candidate and where it comes from", responses=PoolAnswer
    )
    def get(self, request: Request, slug: str, docno: str) -> Response:
        rows = (
            Pool.objects.filter(query_paper__collection=self.collection)
            .select_related("query_paper__document", "build")
            .prefetch_related(
                Prefetch("candidates__document", Document.objects.only("docno")),
                "candidates__contributions",
            )
            .annotate(size=Count("candidates"))
        )
        return Response(PoolAnswer(found(rows, query_paper__document__docno=docno)).data)


class PoolBuilds(CollectionView):
    @extend_schema(
        summary="Buildings of pools, newest first",
        description="Those of which a pool is left. Each has a manifest.",
        responses=BuildLine(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = builds_with_pools(self.collection).defer("manifest")
        return self.paged(
            rows.annotate(pools_left=Count("pools")).order_by("-created_at", "-pk"), BuildLine
        )


class Manifest(CollectionView):
    @extend_schema(
        operation_id="collections_pool_builds_manifest",
        summary="The manifest of a building of pools",
        description="With it and the same corpus, `rebuild_pools` proves the pools equal.",
        responses={(200, "application/json"): OpenApiTypes.OBJECT},
    )
    def get(self, request: Request, slug: str, build: int) -> HttpResponseBase:
        text = manifest_text(found(builds_with_pools(self.collection), pk=build))
        return HttpResponse(text, content_type="application/json")
