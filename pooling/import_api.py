"""Ranked lists, judgments and vectors made elsewhere, in the API."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView, FormBody
from jobs.api import Busy, JobAnswer, accepted
from jobs.models import Job
from pooling.retrievers import METRICS
from pooling.services import DEFAULT_DEPTH
from pooling.uploads import RunUnderWay, request_embeddings, request_run_import


class RunUpload(serializers.Serializer[Any]):
    file = serializers.FileField(help_text="A TREC run file or qrels, plain or gzip.")
    name = serializers.CharField(max_length=60)
    qrels = serializers.BooleanField(
        default=False, help_text="The file holds judgments: known positives, by grade."
    )


class EmbeddingsUpload(serializers.Serializer[Any]):
    vectors = serializers.FileField(help_text="A .npy file, one row of floats a document.")
    docnos = serializers.FileField(help_text="The docno of each row, one a line; plain or gzip.")
    name = serializers.CharField(max_length=60)
    metric = serializers.ChoiceField(METRICS, default=METRICS[0])
    depth = serializers.IntegerField(min_value=1, max_value=100_000, default=DEFAULT_DEPTH)


def imported(view: CollectionView) -> Job:
    """The job that imports the run file of the request."""
    asked = view.parsed(RunUpload)
    try:
        return request_run_import(
            collection=view.collection,
            upload=asked["file"],
            name=asked["name"],
            qrels=asked["qrels"],
            requested_by=view.person,
        )
    except RunUnderWay as error:
        raise Busy(str(error)) from error


class Embeddings(CollectionView):
    parser_classes = [FormBody]

    @extend_schema(
        summary="Rank by vectors computed elsewhere",
        description="They become a run: the nearest neighbours of every query paper with a vector.",
        request={"multipart/form-data": EmbeddingsUpload},
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        asked = self.parsed(EmbeddingsUpload)
        try:
            job = request_embeddings(collection=self.collection, requested_by=self.person, **asked)
        except RunUnderWay as error:
            raise Busy(str(error)) from error
        return accepted(job)
