"""Pilot rounds in the API: start one, follow it with its agreement, close it, remove it."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from accounts.models import Collection
from agreement.tables import Value
from annotation.team.plans import eligible_annotators
from database.dry_run import rolled_back_if
from practice.models import PracticeSet, PracticeSetQuerySet
from practice.pilots import (
    FEWEST_PEOPLE,
    MOST_PER_QUERY,
    MOST_QUERIES,
    PER_QUERY,
    QUERIES,
    start_pilot,
)
from practice.report import GroupLine, RoundReport, report_of
from practice.services import MOST_MEMBERS, CannotPractise, close_set, remove_set
from web.api.serializers import DryRun, found


class NewPilot(DryRun):
    annotators = serializers.ListField(
        child=serializers.CharField(max_length=150),
        min_length=FEWEST_PEOPLE,
        max_length=MOST_MEMBERS,
        help_text="Usernames. All of them judge every pair, and can never judge a query of the "
        "same query papers afterwards.",
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
        help_text="Ids of queries to take, instead of a choice of `queries` queries.",
    )


class PilotAnswer(serializers.Serializer[PracticeSet]):
    number = serializers.IntegerField()
    annotators = serializers.SerializerMethodField()
    queries = serializers.SerializerMethodField()
    pairs = serializers.SerializerMethodField(help_text="Judged by every annotator.")
    created_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)

    def get_annotators(self, pilot: PracticeSet) -> list[str]:
        return [member.annotator.username for member in pilot.members.all()]

    def get_queries(self, pilot: PracticeSet) -> int:
        return int(pilot.parameters["queries"])

    def get_pairs(self, pilot: PracticeSet) -> int:
        return pilot.pairs.count()


class PilotProgress(serializers.Serializer[Any]):
    annotator = serializers.CharField(source="person.username")
    judged = serializers.IntegerField()
    total = serializers.IntegerField()
    ungraded = serializers.IntegerField(help_text="Judgments without a grade.")


class PilotAgreement(serializers.Serializer[GroupLine]):
    pairs_of = serializers.CharField(source="name")
    pairs = serializers.IntegerField(help_text="Pairs with two grades or more.")
    alpha_of_all = serializers.FloatField(
        source="alpha.value",
        allow_null=True,
        help_text="Krippendorff’s ordinal alpha of all annotators at once; null if undefined.",
    )
    means = serializers.SerializerMethodField(
        help_text="Mean of each coefficient over every two annotators; null if undefined."
    )

    def get_means(self, line: GroupLine) -> dict[str, float | None]:
        return _by_key(line.means)


class PilotCouple(serializers.Serializer[Any]):
    annotators = serializers.SerializerMethodField()
    pairs = serializers.IntegerField(help_text="Pairs that both graded.")
    coefficients = serializers.SerializerMethodField(help_text="By key; null if undefined.")

    def get_annotators(self, line: Any) -> list[str]:
        return [line.first.username, line.second.username]

    def get_coefficients(self, line: Any) -> dict[str, float | None]:
        return _by_key(line.values)


def _by_key(values: list[Value]) -> dict[str, float | None]:
    return {value.coefficient.key: value.value for value in values}


class PilotReportAnswer(serializers.Serializer[RoundReport]):
    round = PilotAnswer(source="practice_set")
    progress = PilotProgress(many=True)
    agreement = PilotAgreement(many=True, source="groups")
    couples = PilotCouple(many=True)


class Pilots(CollectionView):
    @extend_schema(summary="Pilot rounds, newest first", responses=PilotAnswer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(_pilots(self.collection), PilotAnswer)

    @extend_schema(
        summary="Start a pilot round",
        description="All of its annotators judge the same pairs. The judgments are in no release. "
        "With `dry_run`, 200 with the round that would be started.",
        request=NewPilot,
        responses={200: PilotAnswer, 201: PilotAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        asked = self.parsed(NewPilot)
        is_tried = asked.pop("dry_run")
        names = list(dict.fromkeys(asked.pop("annotators")))
        people = list(eligible_annotators(self.collection).filter(username__in=names))
        if unknown := set(names) - {person.username for person in people}:
            raise CannotPractise(
                f"No annotators of {self.collection}: {', '.join(sorted(unknown))}. Name people "
                "who have that role."
            )
        with rolled_back_if(is_tried):
            pilot = start_pilot(
                collection=self.collection, annotators=people, created_by=self.person, **asked
            )
            answer = PilotAnswer(_pilots(self.collection).get(pk=pilot.pk)).data
        return Response(answer, status=200 if is_tried else 201)


class PilotDetail(CollectionView):
    @extend_schema(
        summary="A pilot round with its progress and agreement", responses=PilotReportAnswer
    )
    def get(self, request: Request, slug: str, number: int) -> Response:
        return Response(PilotReportAnswer(report_of(_pilot(self.collection, number))).data)

    @extend_schema(
        summary="Remove a pilot round without judgments",
        description="With `dry_run`, 200 with the round that would be removed.",
        parameters=[DryRun],
        responses={200: PilotAnswer, 204: None},
    )
    def delete(self, request: Request, slug: str, number: int) -> Response:
        is_tried = self.parameters(DryRun).validated_data["dry_run"]
        pilot = _pilot(self.collection, number)
        answer = Response(PilotAnswer(pilot).data)
        with rolled_back_if(is_tried):
            remove_set(practice_set=pilot)
        return answer if is_tried else Response(status=204)


class PilotClose(CollectionView):
    @extend_schema(
        summary="Close a pilot round",
        description="It takes no more judgments, which cannot be undone. Closed rounds stay as "
        "they are. With `dry_run`, the round as it would be.",
        request=DryRun,
        responses=PilotAnswer,
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        pilot = _pilot(self.collection, number)
        with rolled_back_if(self.parsed(DryRun)["dry_run"]):
            close_set(practice_set=pilot)
            answer = PilotAnswer(_pilot(self.collection, number)).data
        return Response(answer)


def _pilots(collection: Collection) -> PracticeSetQuerySet:
    rows: PracticeSetQuerySet = collection.practice_sets.pilots().prefetch_related(
        "members__annotator"
    )
    return rows.order_by("-number")


def _pilot(collection: Collection, number: int) -> PracticeSet:
    return found(_pilots(collection).select_related("collection"), number=number)
