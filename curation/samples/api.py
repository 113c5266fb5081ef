"""The API of samples: list and draw them, and read their screenings."""

from __future__ import annotations

from django.db.models import Count, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from accounts.models import Collection
from curation.models import Sample, Screening
from curation.samples.services import LONGEST_NAME, SamplePlan, free_name
from curation.samples.strata import MOST_PAPERS, STRATA
from curation.samples.table import PaperRow, paper_rows
from curation.samples.tasks import request_sample
from jobs.api import JobAnswer, accepted
from web.api.serializers import FormBody, JsonBody, RequestSerializer, found, words_field


class SampleAnswer(serializers.Serializer[Sample]):
    name = serializers.CharField()
    strata = serializers.ListField(child=serializers.CharField())
    periods = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    per_stratum = serializers.IntegerField()
    seed = serializers.CharField()
    counts = serializers.DictField(help_text="The documents of each stratum, and those left out.")
    papers = serializers.IntegerField(source="size")
    created_at = serializers.DateTimeField()


class NewSample(RequestSerializer):
    strata = serializers.ListField(
        child=serializers.ChoiceField(STRATA), default=list, max_length=len(STRATA)
    )
    per_stratum = serializers.IntegerField(min_value=1, max_value=MOST_PAPERS)
    periods = words_field(500, "`5`, or `1995-1999,2000-2004`.")
    years = words_field(20, "`1995-2019`.")
    fields_of_study = serializers.ListField(
        child=serializers.CharField(max_length=200), default=list, max_length=1_000
    )
    seed = words_field(64)
    without = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_NAME),
        default=list,
        max_length=1_000,
        help_text="Earlier samples whose papers are left out.",
    )
    name = words_field(LONGEST_NAME)
    exclusions = serializers.FileField(
        required=False, help_text="One docno per line, plain or gzip, as a form field."
    )


class ScreeningAnswer(serializers.Serializer[Screening]):
    screener = serializers.CharField(source="screener.username")
    paper_type = serializers.CharField(source="paper_type.key")
    facets = serializers.ListField(child=serializers.CharField())
    rating = serializers.IntegerField()
    reason = serializers.CharField()
    screened_at = serializers.DateTimeField()


class SampledPaperAnswer(serializers.Serializer[PaperRow]):
    position = serializers.IntegerField()
    docno = serializers.CharField(source="document.docno")
    stratum = serializers.CharField()
    screenings = ScreeningAnswer(many=True)
    hidden = serializers.IntegerField(
        help_text="Screenings of other people, shown after your own screening of the paper."
    )


def _samples(collection: Collection) -> QuerySet[Sample]:
    rows = collection.samples.select_related("collection").annotate(size=Count("papers"))
    return rows.order_by("created_at", "pk")  # Meta.ordering does not apply to grouped rows


class Samples(CollectionView):
    parser_classes = [JsonBody, FormBody]

    @extend_schema(summary="Samples, the oldest first", responses=SampleAnswer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(_samples(self.collection), SampleAnswer)

    @extend_schema(
        summary="Draw a sample",
        request={"application/json": NewSample, "multipart/form-data": NewSample},
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        values = self.parsed(NewSample)
        job = request_sample(
            collection=self.collection,
            name=values["name"] or free_name(self.collection),
            plan=SamplePlan(
                by=tuple(values["strata"]),
                per_stratum=values["per_stratum"],
                periods=values["periods"],
                years=values["years"],
                fields=tuple(values["fields_of_study"]),
                seed=values["seed"],
                without=tuple(values["without"]),
            ),
            requested_by=self.person,
            upload=values.get("exclusions"),
        )
        return accepted(job)


class SampleDetail(CollectionView):
    @extend_schema(summary="A sample", responses=SampleAnswer)
    def get(self, request: Request, slug: str, sample: str) -> Response:
        return Response(SampleAnswer(found(_samples(self.collection), name=sample)).data)


class SamplePapers(CollectionView):
    @extend_schema(
        summary="The papers of a sample with their screenings, in the order of screening",
        responses=SampledPaperAnswer(many=True),
    )
    def get(self, request: Request, slug: str, sample: str) -> Response:
        row = found(_samples(self.collection), name=sample)
        return self.paged(paper_rows(row, self.person), SampledPaperAnswer)
