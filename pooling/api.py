"""Pools in the API. For admins only, because they show sources and ranks."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Prefetch
from django.http import HttpResponse, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from corpus.models import Document
from jobs.api import Busy, JobAnswer, accepted
from pooling.models import Candidate, Contribution, Pool, PoolBuild
from pooling.services import (
    DEFAULT_STRATEGY,
    ONLY,
    PoolPlan,
    build_parameters,
    builds_with_pools,
    default_forced,
    manifest_text,
    named_papers,
    request_pools,
)
from pooling.strategies import DRAW_ORDERS, STRATEGIES
from retrieval.api import DEEPEST
from retrieval.services import DEFAULT_DEPTH
from web.api.serializers import RequestSerializer, found


class PoolLine(serializers.Serializer[Pool]):
    docno = serializers.CharField(source="query_paper.name")
    size = serializers.IntegerField()
    frozen_at = serializers.DateTimeField(allow_null=True)
    retriever_order = serializers.ListField(child=serializers.CharField())
    shortfall = serializers.DictField(child=serializers.IntegerField())
    depth = serializers.DictField(child=serializers.IntegerField(allow_null=True))


class BuildLine(serializers.Serializer[PoolBuild]):
    id = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    pools = serializers.IntegerField(
        source="pools_left", help_text="Pools that no later build has replaced."
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
        allow_null=True, help_text="For a sample: the probability that the document was drawn."
    )
    round = serializers.IntegerField(help_text="The pool round that added it.")
    contributions = ContributionAnswer(many=True)


class PoolAnswer(PoolLine):
    manifest = serializers.DictField(source="build.manifest")
    candidates = CandidateAnswer(many=True)


class Plan(RequestSerializer):
    """A strategy with its parameters; or `n` and `mode`, for the two that take n of each run."""

    strategy = serializers.ChoiceField(list(STRATEGIES), required=False)
    parameters = serializers.DictField(
        required=False, help_text="Of the strategy. Missing ones have its defaults."
    )
    n = serializers.IntegerField(
        min_value=1,
        max_value=10_000,
        required=False,
        help_text="New documents from each retriever.",
    )
    mode = serializers.ChoiceField(sorted(DRAW_ORDERS), required=False)
    forced = serializers.ListField(
        child=serializers.CharField(max_length=60),
        required=False,
        help_text="Sources whose documents are all pooled, first: `cited` or imported runs. "
        "Default: `cited`, unless it is excluded.",
    )
    excluded = serializers.ListField(
        child=serializers.CharField(max_length=60),
        default=[],
        help_text="Sources whose documents are known positives and never drawn.",
    )
    only = serializers.ListField(
        child=serializers.ChoiceField(ONLY),
        default=[],
        help_text="Requirements of drawn documents, relative to the query paper.",
    )
    seed = serializers.CharField(max_length=64, allow_blank=True, default="")
    runs = serializers.ListField(
        child=serializers.CharField(max_length=60),
        default=[],
        help_text="Default: every run except judgments, forced and excluded ones.",
    )
    depth = serializers.IntegerField(min_value=1, max_value=DEEPEST, default=DEFAULT_DEPTH)
    query_papers = serializers.ListField(
        child=serializers.CharField(max_length=240),
        default=[],
        help_text="Build only for these query papers, topics or queries. Other drafts stay. "
        "Default: all without a frozen pool.",
    )
    without_pool = serializers.BooleanField(
        default=False, help_text="Build only for query papers without a pool. All drafts stay."
    )

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        if values["query_papers"] and values["without_pool"]:
            raise serializers.ValidationError(
                {"without_pool": "Give either query_papers or without_pool."}
            )
        if ("strategy" in values) == ("n" in values):
            raise serializers.ValidationError({"n": "Give either n or a strategy."})
        if "strategy" in values and "mode" in values:
            raise serializers.ValidationError({"mode": "Give a mode only with n."})
        return values

    def plan(self) -> PoolPlan:
        values = dict(self.validated_data)
        n, mode = values.pop("n", None), values.pop("mode", DEFAULT_STRATEGY)
        if n is not None:
            values |= {"strategy": mode, "parameters": {"n": n}}
        values.setdefault("forced", default_forced(values["excluded"]))
        return PoolPlan.of({"parameters": {}, **values})


class Pools(CollectionView):
    @extend_schema(summary="Pools, by docno of the query paper", responses=PoolLine(many=True))
    def get(self, request: Request, slug: str) -> Response:
        rows = (
            Pool.objects.filter(query_paper__collection=self.collection)
            .select_related("query_paper")
            .order_by("query_paper__name")
        )
        return self.paged(rows, PoolLine)

    @extend_schema(
        summary="Build pools",
        description="Builds every pool that is not frozen, or those of some query papers. "
        "Replaces their drafts.",
        request=Plan,
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        serializer = self.parser(Plan)
        plan = serializer.plan()
        docnos = named_papers(self.collection, serializer.validated_data["query_papers"])
        without_pool: bool = serializer.validated_data["without_pool"]
        job = request_pools(
            collection=self.collection,
            plan=plan,
            requested_by=self.person,
            docnos=docnos,
            without_pool=without_pool,
        )
        if job.parameters != build_parameters(plan, docnos, without_pool=without_pool):
            raise Busy
        return accepted(job)


class PoolDetail(CollectionView):
    @extend_schema(summary="One pool with every candidate and its sources", responses=PoolAnswer)
    def get(self, request: Request, slug: str, docno: str) -> Response:
        rows = (
            Pool.objects.filter(query_paper__collection=self.collection)
            .select_related("query_paper", "build")
            .prefetch_related(
                Prefetch("candidates__document", Document.objects.only("docno")),
                "candidates__contributions",
            )
        )
        return Response(PoolAnswer(found(rows, query_paper__name=docno)).data)


class PoolBuilds(CollectionView):
    @extend_schema(
        summary="Pool builds, newest first",
        description="Builds that still have a pool. Each has a manifest.",
        responses=BuildLine(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = builds_with_pools(self.collection).defer("manifest")
        return self.paged(
            rows.annotate(pools_left=Count("pools")).order_by("-created_at", "-pk"), BuildLine
        )


class PoolManifest(CollectionView):
    @extend_schema(
        operation_id="collections_pool_builds_manifest",
        summary="The manifest of a pool build",
        description="With it and the same corpus, `rebuild_pools` rebuilds and compares the pools.",
        responses={(200, "application/json"): OpenApiTypes.OBJECT},
    )
    def get(self, request: Request, slug: str, build: int) -> HttpResponseBase:
        text = manifest_text(found(builds_with_pools(self.collection), pk=build))
        return HttpResponse(text, content_type="application/json")
