"""Judging and deciding by scripts. Texts go out as Presentations only, and nothing here reads runs, pools or scores."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.response import Response

from accounts.models import ADJUDICATOR, ANNOTATOR
from adjudication import cases, decisions
from adjudication.models import Decision
from adjudication.views import find_query
from annotation import judging
from annotation.guidelines import guidelines_in_force
from annotation.models import Guideline, Judgment, Reason
from annotation.presentation import shown_query
from annotation.views import own_queries, own_query
from api.base import InCollection, Strict, given

Rows = serializers.Serializer[Any]


class SentenceSerializer(Rows):
    text = serializers.CharField()
    in_facet = serializers.BooleanField()


class TextSerializer(Rows):
    title = serializers.CharField()
    sentences = SentenceSerializer(many=True)
    narrative = serializers.CharField()


class GuidelineSerializer(serializers.ModelSerializer[Guideline]):
    grades = serializers.ListField(child=serializers.DictField(child=serializers.CharField()), help_text="From 0 on.")

    class Meta:
        model = Guideline
        fields = ["facet", "version", "text", "grades", "change", "created_at"]


class GuidelineViewSet(ListModelMixin, InCollection):
    """The guideline in force of each facet."""

    serializer_class = GuidelineSerializer

    def get_queryset(self) -> Any:
        return guidelines_in_force(self.collection)


class WorkSerializer(Rows):
    """A query that one has: `id` is in the addresses of its pairs."""

    id = serializers.IntegerField(source="query.pk")
    name = serializers.CharField(source="query.name")
    facet = serializers.CharField(source="query.facet")
    total = serializers.IntegerField()
    done = serializers.IntegerField()


class SaidSerializer(serializers.ModelSerializer[Judgment]):
    class Meta:
        model = Judgment
        fields = ["grade", "reason", "note", "key"]


class PairSerializer(Rows):
    """A pair as it is shown. `digest` is of all of it, and goes back with the judgment."""

    token = serializers.CharField()
    digest = serializers.CharField(source="presentation.digest")
    guideline_version = serializers.IntegerField(source="presentation.guideline_version")
    query = TextSerializer(source="presentation.query")
    candidate = TextSerializer(source="presentation.candidate")
    judgment = SaidSerializer(allow_null=True, help_text="Your own, if you judged it before.")


class JudgmentInput(Strict):
    """A grade, or a reason why there is none. `replaces` is the key of your judgment that this one revises."""

    grade = serializers.IntegerField(allow_null=True, default=None)
    reason = serializers.ChoiceField(Reason.choices, allow_blank=True, default="")
    note = serializers.CharField(allow_blank=True, default="", max_length=2000)
    key = serializers.UUIDField(help_text="A new UUID. The same one sent again counts once.")
    replaces = serializers.UUIDField(allow_null=True, default=None)
    digest = serializers.CharField(help_text="Of the pair as you were shown it.")
    seconds = serializers.FloatField(allow_null=True, default=None, min_value=0)


class KeySerializer(Rows):
    key = serializers.UUIDField()


class JudgingViewSet(InCollection):
    """An annotator's own queries and pairs."""

    roles = (ANNOTATOR,)
    serializer_class = WorkSerializer

    def list(self, request: Any, slug: str) -> Response:
        return self.listed([row | {"done": row["judged"]} for row in own_queries(request.user, self.collection)])

    @extend_schema(responses=PairSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=None)
    def pairs(self, request: Any, slug: str, pk: int) -> Response:
        """The next pairs to judge, in your own order."""
        query = own_query(request.user, self.collection, pk)
        return Response(PairSerializer(judging.next_pairs(request.user, query), many=True).data)

    @extend_schema(responses=PairSerializer)
    @action(detail=True, url_path="pairs/<str:token>")
    def pair(self, request: Any, slug: str, pk: int, token: str) -> Response:
        query = own_query(request.user, self.collection, pk)
        return Response(PairSerializer(judging.shown_pair(request.user, query, token)).data)

    @extend_schema(request=JudgmentInput, responses=KeySerializer)
    @pair.mapping.post
    def judge(self, request: Any, slug: str, pk: int, token: str) -> Response:
        query = own_query(request.user, self.collection, pk)
        values = given(JudgmentInput, request.data)
        judgment = judging.submit_judgment(judge=request.user, query=query, token=token, **values)
        return Response({"key": judgment.key})


class DecisionSerializer(serializers.ModelSerializer[Decision]):
    class Meta:
        model = Decision
        fields = ["grade", "note", "key"]


class CaseSerializer(Rows):
    """A case: both judgments without names, in an order that says nothing, and what the judges saw."""

    token = serializers.CharField()
    query = serializers.SerializerMethodField()
    candidate = TextSerializer()
    a = SaidSerializer()
    b = SaidSerializer()
    reopened = serializers.CharField(source="reopening.reason", default="", help_text="Why an admin sent it again.")
    decision = DecisionSerializer(allow_null=True, help_text="Your own, if you decided it before.")

    @extend_schema_field(TextSerializer)
    def get_query(self, case: cases.Case) -> Any:
        return TextSerializer(self.context["query"]).data


class DecisionInput(Strict):
    """The label; null sets the pair aside. `judgments` are the keys of the two judgments that you were shown."""

    grade = serializers.IntegerField(allow_null=True)
    note = serializers.CharField(allow_blank=True, default="", max_length=decisions.LONGEST_TEXT)
    key = serializers.UUIDField(help_text="A new UUID. The same one sent again counts once.")
    judgments = serializers.ListField(child=serializers.UUIDField(), min_length=2, max_length=2)
    replaces = serializers.UUIDField(allow_null=True, default=None)
    seconds = serializers.FloatField(allow_null=True, default=None, min_value=0)


class CaseViewSet(InCollection):
    """An adjudicator's queries with cases, those with the largest difference first."""

    roles = (ADJUDICATOR,)
    serializer_class = WorkSerializer

    def list(self, request: Any, slug: str) -> Response:
        return self.listed([row | {"done": row["decided"]} for row in cases.queue(request.user, self.collection)])

    @extend_schema(responses=CaseSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=None)
    def pairs(self, request: Any, slug: str, pk: int) -> Response:
        """The next cases to decide, the largest difference first."""
        query = find_query(self.collection, pk)
        context = {"query": shown_query(query)}
        return Response(CaseSerializer(cases.next_cases(request.user, query), many=True, context=context).data)

    @extend_schema(responses=CaseSerializer)
    @action(detail=True, url_path="pairs/<str:token>")
    def pair(self, request: Any, slug: str, pk: int, token: str) -> Response:
        query = find_query(self.collection, pk)
        context = {"query": shown_query(query)}
        return Response(CaseSerializer(cases.find_case(request.user, query, token), context=context).data)

    @extend_schema(request=DecisionInput, responses=KeySerializer)
    @pair.mapping.post
    def decide(self, request: Any, slug: str, pk: int, token: str) -> Response:
        query = find_query(self.collection, pk)
        values = given(DecisionInput, request.data)
        values["judgments"] = set(values["judgments"])
        decision = decisions.decide(adjudicator=request.user, query=query, token=token, **values)
        return Response({"key": decision.key})
