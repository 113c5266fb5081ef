"""The API of evaluation: scores, and the systems that are scored."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.db.models import Count
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from accounts.models import Collection
from database.dry_run import rolled_back_if
from evaluation.gaps.stored import current_gaps
from evaluation.leaderboard.report import (
    EvaluationReport,
    Options,
    ScoredSystem,
    evaluation_report,
    stored_lists,
)
from evaluation.leaderboard.rows import systems_of
from jobs.api import Busy, JobAnswer, accepted
from retrieval.models import Ranking
from scoring.computation import folds_of
from scoring.labels import FINAL, query_facets, relevant_from, stored_sources
from scoring.measures.names import UnknownMeasure
from scoring.measures.profiles import PROFILES, TREC, profile_of
from scoring.measures.scopes import Scope
from scoring.models import System, SystemKind, SystemRanking
from scoring.results import stored_profile
from scoring.services import out_of_date, request_evaluation
from scoring.systems.services import SystemFault, delete_system
from scoring.systems.uploads import SystemUnderWay, request_system_import
from web.api.serializers import DryRun, FormBody, JsonBody, RequestSerializer
from web.errors import UserFacingError
from web.program import command_text

MOST_LISTS = 20_000  # scored within a request; the command scores more
MOST_BOUNDED = 500  # lists whose scores are bounded within a request: a second or two


class SystemFields(serializers.Serializer[Any]):
    facet = serializers.CharField(help_text='A facet’s key, or "all".')
    split = serializers.ChoiceField(["dev", "test", "all"])
    queries = serializers.IntegerField(help_text="Scored queries.")
    left_out = serializers.IntegerField(help_text="Queries without a relevant document.")
    without_list = serializers.IntegerField(help_text="Scored queries without a list: value 0.")
    field = serializers.CharField(required=False, help_text="Only in the profile mdcr.")
    candidates = serializers.CharField(required=False, help_text="Only in the profile mdcr.")
    measures = serializers.DictField(child=serializers.FloatField(allow_null=True))


class BoundFields(serializers.Serializer[Any]):
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class GapFields(serializers.Serializer[Any]):
    depth = serializers.IntegerField()
    listed = serializers.IntegerField(help_text="Documents down to the depth, over all queries.")
    unjudged = serializers.IntegerField(help_text="Those without a label.")
    hours = serializers.FloatField(help_text="To judge them: two judges and the adjudicator.")
    bounds = serializers.DictField(
        child=BoundFields(), help_text="By measure: what it could score then, over all queries."
    )


class SystemScoreFields(serializers.Serializer[Any]):
    system = serializers.CharField()
    is_re_ranking = serializers.BooleanField(help_text="Its lists have labelled documents only.")
    unjudged_documents = serializers.IntegerField(help_text="Listed documents without a label.")
    lacking_documents = serializers.IntegerField(help_text="Labelled documents in no list.")
    gap = GapFields(
        allow_null=True,
        help_text="Null for closed lists, for more lists than a request can bound, and for stored "
        "scores while the report `gaps/` is missing or out of date.",
    )
    rows = SystemFields(many=True)


class FoldFacts(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    origin = serializers.CharField(
        allow_blank=True, help_text="`imported from FILE` or `made from the seed`."
    )
    splits = serializers.DictField(
        child=serializers.CharField(), required=False, help_text="Split to what it is a mean of."
    )


class ScopeAnswer(serializers.Serializer[Any]):
    scope = serializers.ChoiceField(list(Scope))
    answer = serializers.ChoiceField(["supported", "not supported", "cannot be said"])
    reason = serializers.CharField()
    sentence = serializers.CharField()


class EvaluationAnswer(serializers.Serializer[Any]):
    collection = serializers.CharField()
    profile = serializers.CharField()
    scope = serializers.ChoiceField(list(Scope), help_text="How lists meet the judged pool.")
    scope_description = serializers.CharField()
    scope_support = ScopeAnswer(help_text="Whether the collection supports this scope.")
    qrels = serializers.CharField()
    relevant_from = serializers.IntegerField(help_text="The lowest relevant grade.")
    folds = FoldFacts()
    queries_without_relevant = serializers.ChoiceField(["left out", "count as 0"])
    measures = serializers.DictField(
        child=serializers.CharField(), help_text="Measure to what it counts."
    )
    out_of_date = serializers.ListField(
        child=serializers.CharField(),
        help_text="Systems whose stored scores are of other labels, folds or lists.",
    )
    systems = SystemScoreFields(many=True)


class EvaluationParameters(RequestSerializer):
    profile = serializers.ChoiceField(list(PROFILES), default=TREC)
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
    scope = serializers.ChoiceField(
        list(Scope), required=False, help_text="Default: that of the profile."
    )
    relevant_from = serializers.IntegerField(
        required=False, min_value=1, help_text="Default: that of the labels."
    )
    count_empty = serializers.BooleanField(
        default=False, help_text="Count queries without a relevant document as 0."
    )
    system = serializers.ListField(
        child=serializers.CharField(), default=list, help_text="Only these systems."
    )

    @property
    def are_stored(self) -> bool:
        """True if the leaderboard's stored scores answer."""
        values = self.validated_data
        computed = {"scope", "relevant_from"} & values.keys()
        changed = computed or values["measures"] or values["count_empty"]
        return not changed and values["qrels"] in stored_sources()

    @property
    def options(self) -> Options:
        values = self.validated_data
        scope = values.get("scope")
        return Options(
            profile=values["profile"],
            measures=values["measures"],
            source=values["qrels"],
            scope=Scope(scope) if scope else None,
            relevant_from=values.get("relevant_from"),
            count_empty=values["count_empty"],
        )


class ScoringRequest(RequestSerializer):
    qrels = serializers.CharField(default=FINAL, help_text="`final` (default) or `citations`.")

    def validate_qrels(self, value: str) -> str:
        if value not in stored_sources():
            known = ", ".join(stored_sources())
            raise serializers.ValidationError(f'No stored labels "{value}". Use one of: {known}.')
        return value


class Evaluation(CollectionView):
    @extend_schema(
        summary="Scores of systems",
        description="The stored scores of the leaderboard. With `measures`, `scope`, "
        "`relevant_from`, `count_empty` or `qrels` that are not stored they are computed, for at "
        f"most {MOST_LISTS:,} lists; name some systems, or use `manage.py score_systems`.",
        parameters=[EvaluationParameters],
        responses=EvaluationAnswer,
    )
    def get(self, request: Request, slug: str) -> Response:
        parameters = self.parameters(EvaluationParameters)
        values = parameters.validated_data
        wanted = set(values["system"])
        if parameters.are_stored:
            source = values["qrels"]
            old = [system.name for system in out_of_date(self.collection, source)]
            report = stored_report(self.collection, values["profile"], source, wanted)
            return Response({**report.as_json(), "out_of_date": old})
        computed = self._computed(parameters.options, wanted)
        return Response({**computed.as_json(), "out_of_date": []})

    def _computed(self, options: Options, wanted: set[str]) -> EvaluationReport:
        systems = [
            system
            for system in self.collection.systems.order_by("name")
            if not wanted or system.name in wanted
        ]
        number = _lists_of(systems)
        if number > MOST_LISTS:
            raise serializers.ValidationError(
                f"These systems have more than {MOST_LISTS:,} lists. Name fewer with `system`, or "
                f"use `{command_text('score_systems')}`."
            )
        options = replace(options, with_gaps=number <= MOST_BOUNDED)
        try:
            return evaluation_report(
                self.collection, [stored_lists(system) for system in systems], options
            )
        except (UserFacingError, UnknownMeasure) as error:
            raise serializers.ValidationError(str(error)) from error

    @extend_schema(
        summary="Score every system again", request=ScoringRequest, responses={202: JobAnswer}
    )
    def post(self, request: Request, slug: str) -> Response:
        values = self.parsed(ScoringRequest)
        return accepted(
            request_evaluation(
                collection=self.collection, source=values["qrels"], requested_by=self.person
            )
        )


def _lists_of(systems: list[System]) -> int:
    own = SystemRanking.objects.filter(system__in=systems).count()
    runs = [system.name for system in systems if system.kind == SystemKind.RUN]
    if not runs:
        return own
    return (
        own
        + Ranking.objects.filter(
            run__collection=systems[0].collection, run__retired_at=None, run__name__in=runs
        ).count()
    )


def stored_report(
    collection: Collection, profile_name: str, source: str, wanted: set[str]
) -> EvaluationReport:
    """The stored scores as a report, with the stored gaps if they are up to date."""
    least = relevant_from(collection, source)
    is_open = source == FINAL and profile_of(profile_name, least).scope is Scope.OPEN
    gaps = current_gaps(collection) if is_open else {}
    profile = stored_profile(collection, profile_of(profile_name, least), source=source)
    return EvaluationReport(
        collection,
        profile,
        source,
        least,
        folds_of(collection, query_facets(collection)),
        profile.measures,
        [
            ScoredSystem(system.name, list(system.rows.values()), gap=gaps.get(system.name))
            for system in systems_of(collection, profile.name, source)
            if not wanted or system.name in wanted
        ],
    )


class SystemUpload(RequestSerializer):
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
    kind = serializers.ChoiceField(SystemKind.choices)
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

    @extend_schema(
        summary="Remove an imported system",
        description="With its lists and scores. It cannot be undone. With `dry_run`, 200 with the "
        "system that would be removed.",
        parameters=[DryRun],
        responses={200: SystemAnswer, 204: None},
    )
    def delete(self, request: Request, slug: str, name: str) -> Response:
        is_tried = self.parameters(DryRun).validated_data["dry_run"]
        answer = self.get(request, slug, name)
        try:
            with rolled_back_if(is_tried):
                delete_system(system=get_object_or_404(self.collection.systems, name=name))
        except SystemFault as error:
            raise Busy(str(error)) from error
        return answer if is_tried else Response(status=204)
