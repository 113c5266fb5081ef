"""Imports of judgments in the API, for admins."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from adjudication.judgment_import import ImportOptions
from adjudication.judgment_import.label_lines import parse_labels
from adjudication.judgment_import.uploads import request_judgments
from adjudication.models import JudgmentImport
from corpus.api import prefix_field
from jobs.api import JobAnswer, accepted
from web.api.serializers import FormBody, RequestSerializer, files_field


class JudgmentUpload(RequestSerializer):
    file = files_field("Judgments, decisions or both. See docs/judgments.md.")
    query_field = serializers.CharField(max_length=60, default="query")
    docno_field = serializers.CharField(max_length=60, default="docno")
    annotator_field = serializers.CharField(
        max_length=60, default="", allow_blank=True, help_text="Empty: detect it."
    )
    grade_field = serializers.CharField(
        max_length=60, default="", allow_blank=True, help_text="Empty: detect it."
    )
    labels = serializers.CharField(
        max_length=4000,
        default="",
        allow_blank=True,
        help_text="What labels mean, one line for each, such as Relevant=2.",
    )
    prefix = prefix_field("Put before every docno.")
    topic_prefix = prefix_field("Put before every id of a query.")
    second_annotator = serializers.CharField(
        max_length=150,
        default="",
        allow_blank=True,
        help_text="Username of the annotator for queries that one person judged.",
    )
    replace_drafts = serializers.BooleanField(default=False)
    dry_run = serializers.BooleanField(default=False, help_text="Check and count only.")


class JudgmentImportAnswer(serializers.Serializer[JudgmentImport]):
    files = serializers.DictField(child=serializers.CharField())
    judgments = serializers.IntegerField()
    decisions = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class JudgmentImports(CollectionView):
    parser_classes = [FormBody]

    @extend_schema(
        summary="Imports of judgments, the latest first",
        responses=JudgmentImportAnswer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(self.collection.judgment_imports.all(), JudgmentImportAnswer)

    @extend_schema(
        summary="Import judgments that were made elsewhere",
        description="Everything is imported, or nothing. The job's error lists each problem.",
        request={"multipart/form-data": JudgmentUpload},
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        values = self.parsed(JudgmentUpload)
        labels = parse_labels(values["labels"].splitlines())
        job = request_judgments(
            collection=self.collection,
            uploads=values["file"],
            options=ImportOptions.of({**values, "labels": labels}),
            requested_by=self.person,
        )
        return accepted(job)
