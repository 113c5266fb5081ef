"""The API of runs: list, import, rank and download."""

from __future__ import annotations

from django.db.models import Count
from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from corpus.api import dry_run_field, prefix_field
from jobs.api import Busy, JobAnswer, accepted
from jobs.models import Job
from retrieval.models import Run
from retrieval.retrievers import ANALYSES, METRICS
from retrieval.services import (
    DEFAULT_DEPTH,
    RunOptions,
    analysed_name,
    query_names_of,
    request_run,
    run_lines,
)
from retrieval.uploads import RunUnderWay, request_embeddings, request_run_imports
from web.api.serializers import FormBody, JsonBody, RequestSerializer, found
from web.tables.text_blocks import in_blocks


class RunUpload(RequestSerializer):
    file = serializers.FileField(help_text="A TREC run file or qrels file, plain or gzip.")
    name = serializers.CharField(max_length=60)
    dry_run = dry_run_field()
    qrels = serializers.BooleanField(
        default=False,
        help_text="Set it for qrels: judged documents become known positives, ranked by grade.",
    )
    prefix = prefix_field("Put before every docno.")
    topic_prefix = prefix_field("Put before every topic.")


class EmbeddingsUpload(RequestSerializer):
    vectors = serializers.FileField(help_text="A .npy file with one row of floats per document.")
    docnos = serializers.FileField(
        help_text="A text file with the docno of each row, one per line; plain or gzip."
    )
    name = serializers.CharField(max_length=60)
    metric = serializers.ChoiceField(METRICS, default=METRICS[0])
    depth = serializers.IntegerField(min_value=1, max_value=100_000, default=DEFAULT_DEPTH)


def import_run_file(view: CollectionView) -> Job:
    """Start the job that imports the request's run file."""
    values = view.parsed(RunUpload)
    try:
        (job,) = request_run_imports(
            collection=view.collection,
            files=[(values["name"], values["file"])],
            options=RunOptions(values["qrels"], values["prefix"], values["topic_prefix"]),
            dry_run=values["dry_run"],
            requested_by=view.person,
        )
    except RunUnderWay as error:
        raise Busy(str(error)) from error
    return job


class Embeddings(CollectionView):
    parser_classes = [FormBody]

    @extend_schema(
        summary="Rank by imported vectors",
        description="The run lists the nearest neighbours of every query paper that has a vector.",
        request={"multipart/form-data": EmbeddingsUpload},
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        values = self.parsed(EmbeddingsUpload)
        try:
            job = request_embeddings(collection=self.collection, requested_by=self.person, **values)
        except RunUnderWay as error:
            raise Busy(str(error)) from error
        return accepted(job)


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


class Retrieval(RequestSerializer):
    retriever = serializers.CharField(
        max_length=60, help_text="The name of a built-in retriever, for example `bm25_title`."
    )
    analysis = serializers.ChoiceField(
        list(ANALYSES),
        required=False,
        help_text="How BM25 and TF-IDF compare words: `bm25_title` with `english` is the run "
        "`bm25_title.english`.",
    )
    depth = serializers.IntegerField(min_value=1, max_value=DEEPEST, default=DEFAULT_DEPTH)


class Runs(CollectionView):
    parser_classes = [JsonBody, FormBody]

    @extend_schema(summary="Runs, by name", responses=RunAnswer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        rows = self.collection.runs.annotate(lists=Count("rankings")).order_by("name")
        return self.paged(rows, RunAnswer)

    @extend_schema(
        summary="Import a run file or qrels, or run a built-in retriever",
        request={"multipart/form-data": RunUpload, "application/json": Retrieval},
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        is_file = (request.content_type or "").startswith("multipart/")
        return accepted(import_run_file(self) if is_file else self._request_retrieval())

    def _request_retrieval(self) -> Job:
        values = self.parsed(Retrieval)
        job = request_run(
            collection=self.collection,
            name=analysed_name(values["retriever"], values.get("analysis", "")),
            depth=values["depth"],
            requested_by=self.person,
        )
        if job.parameters.get("depth") != values["depth"]:
            raise Busy
        return job


class RunDetail(CollectionView):
    @extend_schema(summary="One run", responses=RunAnswer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        rows = self.collection.runs.annotate(lists=Count("rankings"))
        return Response(RunAnswer(found(rows, name=name)).data)


class RunFileParameters(RequestSerializer):
    ids = serializers.ChoiceField(
        ["papers", "queries"],
        default="papers",
        help_text="Name the topics by query paper, or by query as qrels do.",
    )


class RunDownload(CollectionView):
    @extend_schema(
        operation_id="collections_runs_file",
        summary="A run as a TREC file",
        parameters=[RunFileParameters],
        responses={(200, "text/plain"): OpenApiTypes.STR},
    )
    def get(self, request: Request, slug: str, name: str) -> HttpResponseBase:
        run = found(self.collection.runs.all(), name=name)
        by_query = self.parameters(RunFileParameters).validated_data["ids"] == "queries"
        lines = run_lines(run, query_names_of(run) if by_query else None)
        return StreamingHttpResponse(in_blocks(lines), content_type="text/plain; charset=utf-8")
