"""Training in the API: sets and their results for admins, and the results of a trainee."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import row_or_404
from accounts.actions.services import record_people_read
from accounts.api import CollectionView
from accounts.models import HIGHEST_GRADE, JUDGES, Collection
from database.dry_run import rolled_back_if
from practice.models import PracticeKind, PracticeSet, TrainingResult
from practice.services import MOST_PAIRS
from practice.training.files import LONGEST_EXPLANATION
from practice.training.gold import (
    FEWEST_PAIRS,
    MOST_QUERIES,
    PAIRS,
    lines_of,
    make_from_labels,
    make_from_lines,
)
from practice.training.results import (
    MissedPair,
    SetRow,
    TrainedPair,
    missed_pairs,
    own_result,
    results_of,
    set_rows,
    trained_pairs,
)
from web.api.serializers import DryRun, RequestSerializer


class GoldPairFields(RequestSerializer):
    """A pair with its known grade."""

    query = serializers.CharField(max_length=240)
    docno = serializers.CharField(max_length=200)
    grade = serializers.IntegerField(min_value=0, max_value=HIGHEST_GRADE)
    explanation = serializers.CharField(
        max_length=LONGEST_EXPLANATION, default="", allow_blank=True, help_text="Trainees read it."
    )


class NewTrainingSet(DryRun):
    queries = serializers.ListField(
        child=serializers.CharField(max_length=240),
        default=[],
        max_length=MOST_QUERIES,
        help_text="Queries whose final labels become gold.",
    )
    number = serializers.IntegerField(
        min_value=FEWEST_PAIRS,
        max_value=MOST_PAIRS,
        default=PAIRS,
        help_text="How many of their pairs, spread over the grades.",
    )
    pairs = GoldPairFields(
        many=True, default=[], help_text="Or the pairs themselves, each with its known grade."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if bool(attrs["queries"]) == bool(attrs["pairs"]):
            raise ValidationError({"queries": ["Send either queries or pairs."]})
        return attrs


class TrainingSetAnswer(serializers.Serializer[SetRow]):
    name = serializers.CharField(source="practice_set.name")
    gold_from = serializers.CharField(source="source")
    pairs = serializers.IntegerField()
    queries = serializers.IntegerField()
    begun = serializers.IntegerField(source="started", help_text="People who began it.")
    finished = serializers.IntegerField()
    passed = serializers.IntegerField()
    median_rho = serializers.FloatField(allow_null=True)
    closed_at = serializers.DateTimeField(source="practice_set.closed_at", allow_null=True)


class TrainingResultAnswer(serializers.Serializer[TrainingResult]):
    set = serializers.CharField(source="member.practice_set.name")
    person = serializers.CharField(source="member.annotator.username")
    pairs = serializers.IntegerField()
    graded = serializers.IntegerField(help_text="Pairs that got a grade.")
    rho = serializers.FloatField(allow_null=True)
    undefined = serializers.CharField(help_text="Why there is no `rho`.")
    threshold = serializers.FloatField(allow_null=True, help_text="What was needed then.")
    passed = serializers.BooleanField()
    finished_at = serializers.DateTimeField(source="created_at")


class MissedPairAnswer(serializers.Serializer[MissedPair]):
    query = serializers.CharField()
    docno = serializers.CharField()
    gold = serializers.IntegerField()
    explanation = serializers.CharField()
    judged = serializers.IntegerField(help_text="By people who finished the set.")
    missed = serializers.IntegerField(help_text="How many of them gave another grade.")
    is_doubtful = serializers.BooleanField(
        help_text="Most gave the same other grade, so the gold may be wrong."
    )


class TrainingSetDetailAnswer(serializers.Serializer[Any]):
    set = TrainingSetAnswer()
    results = TrainingResultAnswer(many=True)
    pairs = MissedPairAnswer(many=True)


class TrainedPairAnswer(serializers.Serializer[TrainedPair]):
    query = serializers.CharField()
    title = serializers.CharField(source="candidate.title")
    grade = serializers.IntegerField(source="own", allow_null=True, help_text="Your own.")
    gold = serializers.IntegerField()
    explanation = serializers.CharField()


class OwnResultAnswer(TrainingResultAnswer):
    gold_pairs = serializers.SerializerMethodField()

    @extend_schema_field(TrainedPairAnswer(many=True))
    def get_gold_pairs(self, result: TrainingResult) -> list[dict[str, Any]]:
        return [dict(TrainedPairAnswer(pair).data) for pair in trained_pairs(result)]


class TrainingSets(CollectionView):
    @extend_schema(
        summary="Training sets with their results, the latest first",
        responses=TrainingSetAnswer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        sets = self.collection.practice_sets.filter(kind=PracticeKind.TRAINING)
        rows = _SetRows(list(sets.order_by("-number")), self.collection)
        return self.paged(rows, TrainingSetAnswer)

    @extend_schema(
        summary="Make a training set",
        description="From final labels of queries, or of pairs with known grades. 409 with "
        "`cannot_train` if too few pairs have a final label, 400 with `bad_gold_file` if pairs "
        "name what the collection does not have. With `dry_run`, the set that would be made.",
        request=NewTrainingSet,
        responses={200: TrainingSetAnswer, 201: TrainingSetAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        body = self.parsed(NewTrainingSet)
        with rolled_back_if(body["dry_run"]):
            if body["queries"]:
                found = make_from_labels(
                    collection=self.collection,
                    queries=body["queries"],
                    pairs=body["number"],
                    created_by=self.person,
                )
            else:
                found = make_from_lines(
                    collection=self.collection,
                    lines=lines_of(body["pairs"]),
                    source="the API",
                    created_by=self.person,
                )
            (row,) = set_rows(self.collection, [found])
            answer = TrainingSetAnswer(row).data
        return Response(answer, status=200 if body["dry_run"] else 201)


class _SetRows(Sequence[SetRow]):
    """The rows of a page of sets, made when they are asked for."""

    def __init__(self, sets: list[PracticeSet], collection: Collection) -> None:
        self._sets, self._collection = sets, collection

    def __len__(self) -> int:
        return len(self._sets)

    @overload
    def __getitem__(self, index: int) -> SetRow: ...
    @overload
    def __getitem__(self, index: slice) -> list[SetRow]: ...
    def __getitem__(self, index: int | slice) -> SetRow | list[SetRow]:
        if isinstance(index, int):
            return self[index : index + 1][0]
        return set_rows(self._collection, self._sets[index])


class TrainingSetDetail(CollectionView):
    @extend_schema(
        summary="A training set: results by person, and its pairs, those most missed first",
        responses=TrainingSetDetailAnswer,
    )
    def get(self, request: Request, slug: str, practice_set: str) -> Response:
        sets = self.collection.practice_sets.filter(kind=PracticeKind.TRAINING)
        found = row_or_404(sets.named(practice_set).first())
        (row,) = set_rows(self.collection, [found])
        results = results_of(self.collection).filter(member__practice_set=found)
        record_people_read(collection=self.collection, page="training")
        answer = {"set": row, "results": results, "pairs": missed_pairs(found)}
        return Response(TrainingSetDetailAnswer(answer).data)


class OwnTrainingResults(CollectionView):
    roles = JUDGES

    @extend_schema(
        summary="Your training results, the latest first",
        responses=TrainingResultAnswer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = results_of(self.collection).filter(member__annotator=self.person)
        return self.paged(rows, TrainingResultAnswer)


class OwnTrainingDetail(CollectionView):
    roles = JUDGES

    @extend_schema(
        summary="Your result in a training set, pair by pair",
        description="404 before you have judged every pair of it.",
        responses=OwnResultAnswer,
    )
    def get(self, request: Request, slug: str, practice_set: str) -> Response:
        result = row_or_404(own_result(self.collection, self.person, practice_set))
        return Response(OwnResultAnswer(result).data)
