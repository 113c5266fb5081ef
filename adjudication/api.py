"""Adjudication in the API. A case is shown as on its page: without names, in random order."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import row_or_404
from accounts.api import CollectionView
from accounts.models import Role
from adjudication import queue
from adjudication.models import Case, Decision
from adjudication.referrals.reasons import referral_reason
from adjudication.services import Ruling, decide
from annotation.api import GradeOrReason, ShownTexts, TextAnswer
from annotation.models import Reason
from corpus.models import Query

# What comes in


class NewDecision(GradeOrReason):
    """A grade, or a reason why the pair gets none."""

    seen = serializers.CharField(
        max_length=64, help_text="The case's `seen`: it names the two judgments that you saw."
    )
    supersedes = serializers.UUIDField(
        allow_null=True,
        help_text="The case's `decision_key`: your decision that you saw; null if it was due.",
    )
    key = serializers.UUIDField(
        help_text="A new key for each decision. The same key sent again counts once."
    )

    seconds = serializers.FloatField(
        min_value=0, max_value=24 * 3600, allow_null=True, default=None, help_text="Active time."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        ruling = Ruling(
            grade=attrs.pop("grade"), reason=attrs.pop("reason"), note=attrs.pop("note")
        )
        if ruling.reason == Reason.OTHER and not ruling.note.strip():
            raise ValidationError(
                {"note": ["The note is missing. Write in it what the reason is."]}
            )
        return {**attrs, "ruling": ruling}


# What goes out


class CaseLine(serializers.Serializer[Case]):
    """A due case. `difference` is that of the two grades; null if one of them is missing."""

    query = serializers.CharField(source="query.name")
    facet = serializers.CharField(source="query.facet.key")
    token = serializers.CharField()
    difference = serializers.SerializerMethodField()

    def get_difference(self, case: Case) -> int | None:
        return None if None in (case.first_grade, case.second_grade) else case.difference


class ShownJudgmentAnswer(serializers.Serializer[queue.ShownJudgment]):
    letter = serializers.CharField()
    grade = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField()
    note = serializers.CharField()
    aspects = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="What the judge marked the match to be about: sentences of the query by number, "
        "or its `aspect_names` by their place.",
    )


class CaseAnswer(ShownTexts):
    """A case as the page shows it, the meaning of the grades, and your decision, if any."""

    query = TextAnswer()
    judgments = ShownJudgmentAnswer(many=True, source="cards")
    aspect_names = serializers.SerializerMethodField(
        help_text="The named aspects of the query; empty if its aspects are its sentences."
    )
    seen = serializers.CharField()
    decision_key = serializers.UUIDField(
        source="supersedes", allow_null=True, help_text="Names your decision; null if it is due."
    )
    decided = serializers.SerializerMethodField()
    grade = serializers.SerializerMethodField()
    referral_reason = serializers.SerializerMethodField(
        help_text="Why an admin sent the pair to adjudication; empty if none did."
    )

    def get_aspect_names(self, case: queue.ShownCase) -> list[str]:
        names: list[str] = self.context["query"].aspect_names
        return names

    def get_decided(self, case: queue.ShownCase) -> bool:
        return case.decision is not None

    def get_grade(self, case: queue.ShownCase) -> int | None:
        return case.decision.grade if case.decision else None

    def get_referral_reason(self, case: queue.ShownCase) -> str:
        return referral_reason(self.context["query"], case.token)


class DecisionAnswer(serializers.Serializer[Decision]):
    """A decision of yours; `counts` is false once you or a judge revised."""

    query = serializers.CharField(source="pair.query.name")
    token = serializers.CharField(source="pair.token")
    sequence = serializers.IntegerField()
    counts = serializers.SerializerMethodField()
    grade = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField()
    note = serializers.CharField()
    created_at = serializers.DateTimeField()

    def get_counts(self, decision: Decision) -> bool:
        standing = getattr(decision, "standing", decision.pk)
        return bool(standing == decision.pk)


class AdjudicationView(CollectionView):
    """A view of the cases that the adjudicator may decide; nothing else exists for it."""

    roles = (Role.ADJUDICATOR,)

    def open_query(self, name: str) -> Query:
        return row_or_404(queue.query_to_decide(self.collection, name))


class Cases(AdjudicationView):
    @extend_schema(
        summary="The cases that are due, the largest difference first",
        description='Pairs with a "cannot judge" come before all others.',
        responses=CaseLine(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(queue.due_in_order(self.collection, self.person), CaseLine)


class CaseDetail(AdjudicationView):
    @extend_schema(summary="One case with both judgments, without names", responses=CaseAnswer)
    def get(self, request: Request, slug: str, query: str, token: str) -> Response:
        own_query = self.open_query(query)
        case = row_or_404(
            queue.shown_case(own_query, self.person, token) if token.isalnum() else None
        )
        if case.decision and not case.decision.is_own:
            raise Http404
        return Response(CaseAnswer(case, context={"query": own_query}).data)


class Decide(AdjudicationView):
    @extend_schema(
        summary="Decide a case, or change your decision",
        description="201 when it is saved, 200 when the same key brings the same decision again. "
        "409 with `judgments_changed` or `decided_meanwhile`: get the case again and look. "
        "409 with `already_decided` or `no_such_case`: it needs no decision any more. "
        "409 with `decision_in_public_version`: it stays, unless an admin has the pair decided "
        "again.",
        request=NewDecision,
        responses={200: DecisionAnswer, 201: DecisionAnswer},
    )
    def post(self, request: Request, slug: str, query: str, token: str) -> Response:
        pair = row_or_404(
            queue.pair_to_decide(self.open_query(query), self.person, token)
            if token.isalnum()
            else None
        )
        body = self.parsed(NewDecision)
        is_repeated = Decision.objects.filter(pair=pair, key=body["key"]).exists()
        decision = decide(
            pair_id=pair.pk,
            adjudicator=self.person,
            judgment_ids=queue.judgments_of_digest(pair, body.pop("seen")),
            **body,
        )
        return Response(DecisionAnswer(decision).data, status=200 if is_repeated else 201)


class Decisions(AdjudicationView):
    @extend_schema(summary="Your decisions, the latest first", responses=DecisionAnswer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(queue.own_decisions(self.collection, self.person), DecisionAnswer)
