"""The API of evaluation: scores, and the systems that are scored."""

from __future__ import annotations

from typing import Any

from django.db.models import Count
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from accounts.models import Collection
from evaluation.leaderboard import systems_of
from evaluation.measures.names import UnknownMeasure
from evaluation.measures.profiles import PROFILES, TREC, profile_of
from evaluation.models import Kind, System, SystemRanking
from evaluation.report import as_json_row, evaluation_report, stored_lists
from evaluation.results import stored_profile
from evaluation.services import out_of_date, request_evaluation
from evaluation.systems.services import SystemFault, delete_system
from evaluation.systems.uploads import SystemUnderWay, request_system_import
from jobs.api import Busy, JobAnswer, accepted
from retrieval.models import Ranking
from web.api import FormBody, JsonBody
from web.errors import UserFacingError

MOST_LISTS = 20_000  # scored within a request; the command scores more


class SystemRow(serializers.Serializer[Any]):
    facet = serializers.CharField(help_text='A facet’s key, or "all".')
    split = serializers.ChoiceField(["dev", "test", "all"])
    queries = serializers.IntegerField(help_text="Scored queries.")
    left_out = serializers.IntegerField(help_text="Queries without a relevant document.")
    without_list = serializers.IntegerField(help_text="Scored queries without a list: value 0.")
    field = serializers.CharField(required=False, help_text="Only in the profile mdcr.")
    candidates = serializers.CharField(required=False, help_text="Only in the profile mdcr.")
    measures = serializers.DictField(child=serializers.FloatField(allow_null=True))


class SystemScores(serializers.Serializer[Any]):
    system = serializers.CharField()
    rows = SystemRow(many=True)


class EvaluationAnswer(serializers.Serializer[Any]):
    collection = serializers.CharField()
    profile = serializers.CharField()
    qrels = serializers.CharField()
    measures = serializers.DictField(
        child=serializers.CharField(), help_text="Measure to what it counts."
    )
    out_of_date = serializers.ListField(
        child=serializers.CharField(),
        help_text="Systems whose stored scores are of other labels, folds or lists.",
    )
    systems = SystemScores(many=True)


class EvaluationParameters(serializers.Serializer[Any]):
    profile = serializers.ChoiceField(list(PROFILES), default=TREC.name)
    measures = serializers.CharField(
        default="",
        allow_blank=True,
        help_text="Names of ir-measures, such as `nDCG@10 AP(rel=2)`, instead of the profile’s.",
    )
    qrels = serializers.CharField(
        default="final",
        help_text="`final`, `slot1`, `slot2`, `minimum`, `maximum`, `citations` or "
        "`release:VERSION`.",
    )
    system = serializers.ListField(
        child=serializers.CharField(), default=list, help_text="Only these systems."
    )

    @property
    def are_stored(self) -> bool:
        """Whether the leaderboard's stored scores answer."""
        values = self.validated_data
        return not values["measures"] and values["qrels"] == "final" and values["profile"] != "mdcr"


class Evaluation(CollectionView):
    @extend_schema(
        summary="Scores of systems",
        description="The stored scores of the leaderboard. With `measures`, other `qrels` or the "
        f"profile `mdcr` they are computed, for at most {MOST_LISTS:,} lists; name some systems, "
        "or use `manage.py evaluate`.",
        parameters=[EvaluationParameters],
        responses=EvaluationAnswer,
    )
    def get(self, request: Request, slug: str) -> Response:
        parameters = EvaluationParameters(data=request.query_params)
        parameters.is_valid(raise_exception=True)
        values = parameters.validated_data
        wanted = set(values["system"])
        old = [system.name for system in out_of_date(self.collection)]
        if parameters.are_stored:
            return Response(
                {**stored_report(self.collection, values["profile"], wanted), "out_of_date": old}
            )
        return Response({**self._computed(values, wanted), "out_of_date": []})

    def _computed(self, values: dict[str, Any], wanted: set[str]) -> dict[str, Any]:
        systems = [
            system
            for system in self.collection.systems.order_by("name")
            if not wanted or system.name in wanted
        ]
        if _lists_of(systems) > MOST_LISTS:
            raise serializers.ValidationError(
                f"These systems have more than {MOST_LISTS:,} lists. Name fewer with `system`, or "
                "use `manage.py evaluate`."
            )
        try:
            return evaluation_report(
                self.collection,
                [stored_lists(system) for system in systems],
                profile=values["profile"],
                measures=values["measures"],
                source=values["qrels"],
            )
        except (UserFacingError, UnknownMeasure) as error:
            raise serializers.ValidationError(str(error)) from error

    @extend_schema(summary="Score every system again", request=None, responses={202: JobAnswer})
    def post(self, request: Request, slug: str) -> Response:
        return accepted(request_evaluation(collection=self.collection, requested_by=self.person))


def _lists_of(systems: list[System]) -> int:
    own = SystemRanking.objects.filter(system__in=systems).count()
    runs = [system.name for system in systems if system.kind == Kind.RUN]
    if not runs:
        return own
    return (
        own
        + Ranking.objects.filter(
            run__collection=systems[0].collection, run__retired_at=None, run__name__in=runs
        ).count()
    )


def stored_report(collection: Collection, profile_name: str, wanted: set[str]) -> dict[str, Any]:
    """The stored scores in the form of `evaluation_report`."""
    profile = stored_profile(collection, profile_of(profile_name))
    return {
        "collection": collection.slug,
        "profile": profile.name,
        "qrels": "final",
        "measures": {measure.name: measure.description for measure in profile.measures},
        "systems": [
            {"system": system.name, "rows": [as_json_row(row) for row in system.rows.values()]}
            for system in systems_of(collection, profile)
            if not wanted or system.name in wanted
        ],
    }


class SystemUpload(serializers.Serializer[Any]):
    file = serializers.ListField(
        child=serializers.FileField(), help_text="One file, or one for each facet."
    )
    name = serializers.CharField(max_length=60)
    repetition_of = serializers.CharField(
        max_length=60,
        default="",
        allow_blank=True,
        help_text="The name that repetitions of this system share.",
    )


class SystemAnswer(serializers.Serializer[System]):
    name = serializers.CharField()
    kind = serializers.ChoiceField(Kind.choices)
    repetition_of = serializers.CharField()
    parameters = serializers.DictField()
    report = serializers.DictField()
    lists = serializers.IntegerField(help_text="0 for a run, whose lists are with the run.")
    created_at = serializers.DateTimeField()


class Systems(CollectionView):
    parser_classes = [FormBody, JsonBody]

    @extend_schema(summary="Systems, by name", responses=SystemAnswer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        rows = self.collection.systems.annotate(lists=Count("rankings")).order_by("name")
        return self.paged(rows, SystemAnswer)

    @extend_schema(
        summary="Import a system",
        description="TREC runs or JSON; several files become one system.",
        request={"multipart/form-data": SystemUpload},
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        values = self.parsed(SystemUpload)
        try:
            job = request_system_import(
                collection=self.collection,
                name=values["name"],
                files=values["file"],
                repetition_of=values["repetition_of"],
                requested_by=self.person,
            )
        except SystemUnderWay as error:
            raise Busy(str(error)) from error
        except SystemFault as error:
            raise serializers.ValidationError({"name": [str(error)]}) from error
        return accepted(job)


class SystemDetail(CollectionView):
    @extend_schema(summary="A system", responses=SystemAnswer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        systems = self.collection.systems.annotate(lists=Count("rankings"))
        return Response(SystemAnswer(get_object_or_404(systems, name=name)).data)

    @extend_schema(summary="Remove an imported system", responses={204: None})
    def delete(self, request: Request, slug: str, name: str) -> Response:
        try:
            delete_system(system=get_object_or_404(self.collection.systems, name=name))
        except SystemFault as error:
            raise Busy(str(error)) from error
        return Response(status=204)
