"""Shadow judges and comparisons of labels in the API, for admins."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from database.dry_run import rolled_back_if
from evaluation.label_effects.pages import reports_about
from evaluation.label_effects.pool_rounds import RoundEffectsReport
from evaluation.label_effects.rankings import LONGEST_MEASURE, measure_named, usual_measure
from evaluation.label_effects.services import (
    CitedPapersReport,
    LabelComparison,
    LabelEffectsReport,
    ShadowJudgeReport,
)
from evaluation.prediction_powered.report import PredictionPoweredReport
from evaluation.shadow_judges.models import ShadowJudge
from evaluation.shadow_judges.services import (
    LONGEST_MODEL,
    LONGEST_NAME,
    LONGEST_TEXT,
    Description,
    delete_shadow_judge,
    name_family,
    request_shadow_judge,
    shadow_judge_named,
)
from jobs.api import JobAnswer, accepted
from reports.services import changed_since, request_report
from web.api.serializers import DryRun, FormBody, RequestSerializer, found


class ShadowJudgeUpload(RequestSerializer):
    file = serializers.FileField(
        help_text="TREC qrels, or JSON lines with query, docno and grade; plain or gzip."
    )
    name = serializers.CharField(max_length=LONGEST_NAME)
    model = serializers.CharField(max_length=LONGEST_MODEL, default="", allow_blank=True)
    prompt = serializers.CharField(max_length=LONGEST_TEXT, default="", allow_blank=True)
    description = serializers.CharField(max_length=LONGEST_TEXT, default="", allow_blank=True)
    labelled_on = serializers.DateField(default=None, allow_null=True)


class ShadowJudgeAnswer(serializers.Serializer[ShadowJudge]):
    name = serializers.CharField()
    model = serializers.CharField()
    prompt = serializers.CharField()
    family = serializers.CharField(help_text="Of the retrievers that are made like the model.")
    description = serializers.CharField()
    labelled_on = serializers.DateField(allow_null=True)
    filename = serializers.CharField()
    labels = serializers.IntegerField(source="labels_count")
    omitted = serializers.DictField(help_text="Lines without a stored label, by reason.")
    sha256 = serializers.CharField()
    created_at = serializers.DateTimeField()


class FamilyChange(RequestSerializer):
    family = serializers.CharField(
        max_length=60,
        allow_blank=True,
        help_text="`lexical`, `dense`, `citation`, a source that drew documents, or empty.",
    )


class MeasureParameters(RequestSerializer):
    measure = serializers.CharField(
        max_length=LONGEST_MEASURE,
        default="",
        allow_blank=True,
        help_text="Such as NDCG%20, AP or nDCG@10. Empty: that of the latest report, or to "
        "compute one, the leaderboard’s first measure.",
    )


class LabelReportAnswer(serializers.Serializer[Any]):
    measure = serializers.CharField()
    computed_at = serializers.DateTimeField()
    up_to_date = serializers.BooleanField()
    report = serializers.DictField(source="payload")


class ShadowJudges(CollectionView):
    parser_classes = [FormBody]

    @extend_schema(summary="Shadow judges, by name", responses=ShadowJudgeAnswer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(self.collection.shadow_judges.all(), ShadowJudgeAnswer)

    @extend_schema(
        summary="Import the labels of a model",
        description="They are compared with people’s judgments and never count as labels.",
        request={"multipart/form-data": ShadowJudgeUpload},
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        values = self.parsed(ShadowJudgeUpload)
        upload = values.pop("file")
        job = request_shadow_judge(
            collection=self.collection,
            about=Description(**values),
            upload=upload,
            requested_by=self.person,
        )
        return accepted(job)


class ShadowJudgeDetail(CollectionView):
    @extend_schema(summary="One shadow judge", responses=ShadowJudgeAnswer)
    def get(self, request: Request, slug: str, shadow_judge: str) -> Response:
        judge = found(self.collection.shadow_judges.all(), name=shadow_judge)
        return Response(ShadowJudgeAnswer(judge).data)

    @extend_schema(
        operation_id="collections_shadow_judges_family",
        summary="Name the family of retrievers that are made like the model",
        description="The report says whether the model prefers the documents that it found.",
        request=FamilyChange,
        responses=ShadowJudgeAnswer,
    )
    def post(self, request: Request, slug: str, shadow_judge: str) -> Response:
        found(self.collection.shadow_judges.all(), name=shadow_judge)
        family = self.parsed(FamilyChange)["family"]
        judge = name_family(collection=self.collection, name=shadow_judge, family=family)
        return Response(ShadowJudgeAnswer(judge).data)

    @extend_schema(
        summary="Delete a shadow judge with its labels",
        description="It cannot be undone. With `dry_run`, 200 with the shadow judge that would be "
        "deleted.",
        parameters=[DryRun],
        responses={200: ShadowJudgeAnswer, 204: None},
    )
    def delete(self, request: Request, slug: str, shadow_judge: str) -> Response:
        is_tried = self.parameters(DryRun).validated_data["dry_run"]
        answer = self.get(request, slug, shadow_judge)
        with rolled_back_if(is_tried):
            delete_shadow_judge(collection=self.collection, name=shadow_judge)
        return answer if is_tried else Response(status=204)


class _Report(CollectionView):
    """A stored comparison of labels, and the request to compute it."""

    kind: type[LabelComparison]

    @extend_schema(
        description="404 until the report of this measure has been computed.",
        parameters=[MeasureParameters],
        responses=LabelReportAnswer,
    )
    def get(self, request: Request, slug: str, shadow_judge: str = "") -> Response:
        measure = self.parameters(MeasureParameters).validated_data["measure"]
        judge = shadow_judge_named(self.collection, shadow_judge) if shadow_judge else None
        reports = reports_about(self.collection, self.kind, judge).order_by("-computed_at")
        if measure:
            named = measure_named(measure, self.collection.relevant_from)
            reports = reports.filter(parameters__measure=named.name)
        report = reports.first()
        if report is None:
            raise Http404
        answer = {
            "measure": report.parameters["measure"],
            "computed_at": report.computed_at,
            "up_to_date": not changed_since(report),
            "payload": report.payload,
        }
        return Response(LabelReportAnswer(answer).data)

    @extend_schema(request=MeasureParameters, responses={202: JobAnswer})
    def post(self, request: Request, slug: str, shadow_judge: str = "") -> Response:
        about = {}
        if shadow_judge:  # before the fields, so that an unknown one is not found
            about["shadow_judge"] = shadow_judge_named(self.collection, shadow_judge).name
        measure = self.parsed(MeasureParameters)["measure"] or usual_measure(self.collection)
        kind = self.kind(measure=measure, **about)
        job = request_report(kind, collection=self.collection, requested_by=self.person)
        return accepted(job)


@extend_schema_view(
    get=extend_schema(summary="The rankings of systems under different labels"),
    post=extend_schema(summary="Compare the rankings of systems under different labels"),
)
class LabelEffects(_Report):
    kind = LabelEffectsReport


@extend_schema_view(
    get=extend_schema(
        summary="The grades of cited papers, and the ranking of systems under citations"
    ),
    post=extend_schema(summary="Compare citations with the final labels"),
)
class CitedPapers(_Report):
    kind = CitedPapersReport


@extend_schema_view(
    get=extend_schema(summary="The rankings of systems before and after each pool round"),
    post=extend_schema(summary="Compare the rankings of systems before and after pool rounds"),
)
class RoundEffects(_Report):
    kind = RoundEffectsReport


@extend_schema_view(
    get=extend_schema(
        summary="The agreement of a shadow judge with people, and its ranking of systems"
    ),
    post=extend_schema(summary="Compare a shadow judge with people"),
)
class ShadowJudgeComparison(_Report):
    kind = ShadowJudgeReport


@extend_schema_view(
    get=extend_schema(summary="The scores estimated from few people's labels and a shadow judge's"),
    post=extend_schema(summary="Estimate scores with a shadow judge"),
)
class ScoreEstimates(_Report):
    kind = PredictionPoweredReport
