"""Self-consistency and drift in the API, for admins."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actions.services import record_people_read
from accounts.api import CollectionView
from accounts.models import User
from agreement.consistency.report import ConsistencyReport
from jobs.api import JobAnswer, accepted
from reports.models import StoredReport
from reports.pages import report_or_404
from reports.services import request_report


class EstimateAnswer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    interval = serializers.ListField(
        child=serializers.FloatField(),
        min_length=2,
        max_length=2,
        allow_null=True,
        help_text="The ends of the 95 % interval; null if there are too few rows.",
    )
    n = serializers.IntegerField()
    undefined = serializers.CharField(help_text="Why it has no value; empty if it has one.")


class DistanceAnswer(EstimateAnswer):
    """The share of same grades of the repeats at these distances."""

    def get_fields(self) -> dict[str, Any]:
        ends = {
            "from": serializers.IntegerField(),
            "to": serializers.IntegerField(allow_null=True),
        }
        return {**ends, **super().get_fields()}


class SelfConsistencyAnswer(serializers.Serializer[Any]):
    repeats = serializers.IntegerField()
    same = EstimateAnswer(help_text="The share of repeats with the same grade.")
    kappa_quadratic = EstimateAnswer()
    alpha = EstimateAnswer()
    difference = EstimateAnswer(help_text="The mean absolute difference of the two grades.")
    direction = EstimateAnswer(help_text="The mean of the second grade minus the first.")
    distances = DistanceAnswer(many=True)


class SittingStepAnswer(serializers.Serializer[Any]):
    def get_fields(self) -> dict[str, Any]:
        return {
            "from": serializers.IntegerField(),
            "to": serializers.IntegerField(),
            "grade": EstimateAnswer(help_text="Mean grade minus the mean of the query."),
            "seconds": serializers.FloatField(allow_null=True),
        }


class ThirdsAnswer(serializers.Serializer[Any]):
    first = serializers.FloatField(allow_null=True)
    last = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField()


class DriftAnswer(serializers.Serializer[Any]):
    answers = serializers.IntegerField()
    sittings = serializers.IntegerField()
    sitting = serializers.FloatField(help_text="The median number of answers of a sitting.")
    change = EstimateAnswer(help_text="Of the grades over a sitting of that length.")
    spearman = EstimateAnswer(help_text="Of grade and place in the sitting, within each query.")
    query_thirds = EstimateAnswer(help_text="Mean of the last third of each query minus the first.")
    whole_thirds = ThirdsAnswer(help_text="Mean grades of the whole work.")
    agreement = EstimateAnswer(
        help_text="Share of grades that equal the final label: last third of the work minus first."
    )
    seconds = serializers.FloatField(allow_null=True, help_text="Median seconds per answer.")
    seconds_spearman = EstimateAnswer()
    quick = EstimateAnswer(help_text="The share of answers under 2 seconds.")
    steps = SittingStepAnswer(many=True)


class ConsistencyPart(serializers.Serializer[Any]):
    consistency = SelfConsistencyAnswer()
    drift = DriftAnswer()


class PersonConsistency(ConsistencyPart):
    annotator = serializers.CharField()


class ConsistencyAnswer(serializers.Serializer[StoredReport]):
    created_at = serializers.DateTimeField(source="computed_at")
    repeats_left_out = serializers.IntegerField(source="payload.repeats_left_out")
    overall = ConsistencyPart(source="payload.overall")
    annotators = serializers.SerializerMethodField()

    @staticmethod
    def _named(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        names = dict(
            User.objects.filter(pk__in=[row["annotator"] for row in rows]).values_list(
                "pk", "username"
            )
        )
        return [{**row, "annotator": names[row["annotator"]]} for row in rows]

    def get_annotators(self, report: StoredReport) -> Any:
        return PersonConsistency(self._named(report.payload["annotators"]), many=True).data


class ConsistencyReports(CollectionView):
    @extend_schema(
        summary="Self-consistency and drift of the annotators",
        description="404 until the report has been computed by this version.",
        responses=ConsistencyAnswer,
    )
    def get(self, request: Request, slug: str) -> Response:
        report = report_or_404(ConsistencyReport(), self.collection)
        record_people_read(collection=self.collection, page="consistency")
        return Response(ConsistencyAnswer(report).data)

    @extend_schema(
        summary="Compute self-consistency and drift", request=None, responses={202: JobAnswer}
    )
    def post(self, request: Request, slug: str) -> Response:
        self.parsed()
        job = request_report(
            ConsistencyReport(), collection=self.collection, requested_by=self.person
        )
        return accepted(job)
