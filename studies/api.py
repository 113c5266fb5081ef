"""Full-text studies in the API: create one, follow it, end it, read its report."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from accounts.models import Collection
from database.dry_run import rolled_back_if
from studies.forms import eligible_raters
from studies.models import Study, StudyQuerySet
from studies.report import ReportLine, report_of
from studies.services import (
    MOST_NAME,
    MOST_PER_QUERY,
    MOST_QUERIES,
    PER_QUERY,
    QUERIES,
    BadStudy,
    create_study,
    end_study,
)
from web.api.serializers import DryRun, found


class NewStudy(DryRun):
    name = serializers.CharField(
        max_length=MOST_NAME,
        help_text="Lower-case letters, digits and hyphens, such as study-1. Another name makes "
        "another choice of pairs.",
    )
    rater = serializers.CharField(
        max_length=150,
        help_text="Username of an annotator without another role, who never saw others’ grades.",
    )
    queries = serializers.IntegerField(min_value=1, max_value=MOST_QUERIES, default=QUERIES)
    per_query = serializers.IntegerField(
        min_value=1,
        max_value=MOST_PER_QUERY,
        default=PER_QUERY,
        help_text="Candidates of each query.",
    )
    named = serializers.ListField(
        child=serializers.CharField(max_length=240),
        default=[],
        max_length=MOST_QUERIES,
        help_text="Ids of queries to take, instead of a spread of `queries` queries.",
    )


class StudyAnswer(serializers.Serializer[Study]):
    name = serializers.CharField()
    rater = serializers.CharField(source="rater.username")
    pairs = serializers.IntegerField(source="total")
    rated = serializers.IntegerField(help_text="Pairs with a rating.")
    left_out = serializers.DictField(
        child=serializers.IntegerField(), help_text="Pairs that were not chosen, by reason."
    )
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class StudyLine(serializers.Serializer[ReportLine]):
    compared = serializers.CharField(help_text="What the full-text grades are compared with.")
    facet = serializers.CharField()
    pairs = serializers.IntegerField()
    left_out = serializers.IntegerField()
    coefficients = serializers.SerializerMethodField(help_text="By key; null if undefined.")

    def get_coefficients(self, line: ReportLine) -> dict[str, float | None]:
        return {value.coefficient.key: value.value for value in line.values}


class StudyReportAnswer(serializers.Serializer[Any]):
    study = StudyAnswer()
    complete = serializers.BooleanField(
        help_text="Whether every pair is rated or the study has ended. There are no lines before."
    )
    lines = StudyLine(many=True)
    undefined = serializers.ListField(
        child=serializers.CharField(),
        help_text="Each coefficient without a value, with the reason.",
    )


class Studies(CollectionView):
    @extend_schema(summary="Full-text studies, newest first", responses=StudyAnswer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(_studies(self.collection), StudyAnswer)

    @extend_schema(
        summary="Create a full-text study",
        description="It chooses pairs with final labels and full texts, which the rater rates "
        "again. It cannot be deleted. With `dry_run`, 200 with the study that would be created.",
        request=NewStudy,
        responses={200: StudyAnswer, 201: StudyAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        asked = self.parsed(NewStudy)
        is_tried = asked.pop("dry_run")
        rater = eligible_raters(self.collection).filter(username=asked.pop("rater")).first()
        if rater is None:
            raise BadStudy(_no_rater(self.collection))
        with rolled_back_if(is_tried):
            study = create_study(
                collection=self.collection, rater=rater, created_by=self.person, **asked
            )
            answer = StudyAnswer(_studies(self.collection).get(pk=study.pk)).data
        return Response(answer, status=200 if is_tried else 201)


def _no_rater(collection: Collection) -> str:
    names = ", ".join(rater.username for rater in eligible_raters(collection)) or "none yet"
    return (
        "The rater must be an annotator of the collection without another role, who never saw the "
        f"grades of others. Such annotators: {names}."
    )


class StudyDetail(CollectionView):
    @extend_schema(summary="A study with its report", responses=StudyReportAnswer)
    def get(self, request: Request, slug: str, study: str) -> Response:
        report = report_of(_study(self.collection, study))
        answer = {
            "study": report.study,
            "complete": report.result is not None,
            "lines": report.lines,
            "undefined": report.undefined,
        }
        return Response(StudyReportAnswer(answer).data)


class StudyEnd(CollectionView):
    @extend_schema(
        summary="End a study",
        description="It takes no more ratings, which cannot be undone. Ended studies stay as they "
        "are. With `dry_run`, the study as it would be.",
        request=DryRun,
        responses=StudyAnswer,
    )
    def post(self, request: Request, slug: str, study: str) -> Response:
        row = _study(self.collection, study)
        with rolled_back_if(self.parsed(DryRun)["dry_run"]):
            end_study(study=row)
            answer = StudyAnswer(_study(self.collection, study)).data
        return Response(answer)


def _studies(collection: Collection) -> StudyQuerySet:
    rows = collection.studies.select_related("collection", "rater").with_progress()
    return rows.order_by("-created_at", "-pk")  # of the model, which a count would leave out


def _study(collection: Collection, name: str) -> Study:
    return found(_studies(collection), name=name)
