"""Agreement in the API: the latest report, as `compute_agreement --format json` prints it."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from agreement.coefficients import REGISTRY, Missing
from agreement.services import POLICIES, AgreementReport
from agreement.summary import ReportStage
from jobs.api import JobAnswer, accepted
from reports.models import StoredReport
from reports.pages import report_or_404
from reports.services import request_report
from web.api.serializers import RequestSerializer


class ReportParameters(RequestSerializer):
    missing = serializers.ChoiceField(
        POLICIES,
        default=Missing.EXCLUDE.value,
        help_text="How to treat pairs without a grade.",
    )


class Metrics(serializers.Serializer[Any]):
    def get_fields(self) -> dict[str, Any]:
        values = {
            coefficient.key: serializers.FloatField(allow_null=True) for coefficient in REGISTRY
        }
        return {**values, **super().get_fields()}


class AgreementCounts(serializers.Serializer[Any]):
    def get_fields(self) -> dict[str, Any]:
        return {coefficient.key: serializers.IntegerField() for coefficient in REGISTRY}


class MedianEnds(serializers.Serializer[Any]):
    def get_fields(self) -> dict[str, Any]:
        return {
            coefficient.key: serializers.ListField(
                child=serializers.FloatField(), min_length=2, max_length=2, allow_null=True
            )
            for coefficient in REGISTRY
        }


class BootstrapSettings(serializers.Serializer[Any]):
    level = serializers.FloatField()
    resamples = serializers.IntegerField()
    seed = serializers.CharField()


class QueryAgreement(Metrics):
    query = serializers.CharField()
    facet = serializers.CharField()
    stage = serializers.ChoiceField([stage.value for stage in ReportStage])
    n = serializers.IntegerField()
    missing = serializers.IntegerField()
    undefined = serializers.DictField(
        child=serializers.CharField(), help_text="Metric to the reason why it has no value."
    )


class FacetAgreement(serializers.Serializer[Any]):
    facet = serializers.CharField()
    stage = serializers.ChoiceField([stage.value for stage in ReportStage])
    queries = serializers.IntegerField()
    pairs = serializers.IntegerField()
    median = Metrics()
    defined = AgreementCounts()
    interval = MedianEnds(
        help_text="The ends of the bootstrap interval of each median; null for fewer than ten "
        "queries."
    )
    overruled = serializers.FloatField(
        allow_null=True,
        help_text="Share of the final labels, of all queries together, that neither judge gave.",
    )
    overruled_mean = serializers.FloatField(
        allow_null=True, help_text="The same share of each query, averaged over the queries."
    )


class QuestionCounts(serializers.Serializer[Any]):
    """Outcome of the adjudicator's questions to judges under a facet."""

    facet = serializers.CharField()
    pairs = serializers.IntegerField(help_text="Pairs that both judges were asked about.")
    changed = serializers.IntegerField(help_text="Judgments with another grade since.")
    agreed = serializers.IntegerField(help_text="Pairs on which the judges agree only since.")


class FacetWithoutAdvised(FacetAgreement):
    left_out = serializers.IntegerField(help_text="Pairs of the facet that are left out.")


class AgreementWithoutAdvised(serializers.Serializer[Any]):
    left_out = serializers.IntegerField(help_text="Pairs that are left out.")
    facets = FacetWithoutAdvised(many=True)
    queries = QueryAgreement(many=True)


class AgreementAnswer(serializers.Serializer[StoredReport]):
    missing = serializers.ChoiceField(POLICIES, source="key")
    state = serializers.CharField(
        source="digest",
        help_text="Digest of the judgments that the report is of, and of the statistics’ version.",
    )
    statistics = serializers.IntegerField(
        source="payload.statistics", help_text="Version of the statistics."
    )
    created_at = serializers.DateTimeField(source="computed_at")
    intervals = BootstrapSettings(source="payload.intervals")
    queries = QueryAgreement(many=True, source="payload.queries")
    facets = FacetAgreement(many=True, source="payload.facets")
    questions = serializers.SerializerMethodField(
        help_text="By facet; empty if the adjudicator asked no judges."
    )
    advised = serializers.SerializerMethodField(
        help_text="The agreement without pairs of which a judgment came after an admin's answer to "
        "its judge about the pair; null if there are none."
    )

    @extend_schema_field(QuestionCounts(many=True))
    def get_questions(self, report: StoredReport) -> list[dict[str, Any]]:
        return list(report.payload.get("questions", []))

    @extend_schema_field(AgreementWithoutAdvised(allow_null=True))
    def get_advised(self, report: StoredReport) -> dict[str, Any] | None:
        advised: dict[str, Any] | None = report.payload.get("advised")
        return advised


class AgreementReports(CollectionView):
    @extend_schema(
        summary="The latest agreement report",
        description="404 until a report has been computed with this version of the statistics.",
        parameters=[ReportParameters],
        responses=AgreementAnswer,
    )
    def get(self, request: Request, slug: str) -> Response:
        parameters = self.parameters(ReportParameters)
        kind = AgreementReport(parameters.validated_data["missing"])
        return Response(AgreementAnswer(report_or_404(kind, self.collection)).data)

    @extend_schema(
        summary="Compute the present agreement",
        request=ReportParameters,
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        kind = AgreementReport(self.parsed(ReportParameters)["missing"])
        job = request_report(kind, collection=self.collection, requested_by=self.person)
        return accepted(job)
