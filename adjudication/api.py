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
from adjudication.blind.services import rate_blind
from adjudication.claims.reading import claimed_by_others
from adjudication.claims.services import claim_pair
from adjudication.models import UNKNOWN, BlindRating, Case, Claim, Decision
from adjudication.referrals.reasons import referral_reason
from adjudication.services import Ruling, decide
from adjudication.tiers import check_senior
from annotation.api import GradeOrReason, ShownTexts, TextAnswer
from annotation.models import Pair, Reason
from corpus.models import Query

# What comes in


class NewBlindRating(GradeOrReason):
    """A grade that you give without seeing the judgments, or a reason why you cannot."""

    seen = serializers.CharField(
        max_length=64, help_text="The case's `seen`: it names the two judgments of the case."
    )
    key = serializers.UUIDField(
        help_text="A new key for each answer. The same key sent again counts once."
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


class NewDecision(NewBlindRating):
    """A grade, or a reason why the pair gets none."""

    seen = serializers.CharField(
        max_length=64, help_text="The case's `seen`: it names the two judgments that you saw."
    )
    supersedes = serializers.UUIDField(
        allow_null=True,
        help_text="The case's `decision_key`: your decision that you saw; null if it was due.",
    )


# What goes out


class CaseLine(serializers.Serializer[Case]):
    """A due case. `difference` is that of the two grades.

    It is null if one of them is missing, or if you grade the pair without seeing the judgments.
    """

    query = serializers.CharField(source="query.name")
    facet = serializers.CharField(source="query.facet.key")
    token = serializers.CharField()
    difference = serializers.SerializerMethodField()
    claimed = serializers.SerializerMethodField(
        help_text="Another adjudicator has it open, so you cannot answer it now."
    )

    def get_difference(self, case: Case) -> int | None:
        is_unknown = case.difference == UNKNOWN
        missing = None in (case.first_grade, case.second_grade)
        return None if is_unknown or missing else case.difference

    def get_claimed(self, case: Case) -> bool:
        return case.pk in self.context["claimed"]


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
    blind = serializers.BooleanField(
        source="is_blind",
        help_text="You have to grade it first (`blind-rating/`); until then, `judgments` is empty.",
    )
    blind_grade = serializers.SerializerMethodField(
        help_text="Your grade from before you saw the judgments; null if there is none."
    )
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

    def get_blind_grade(self, case: queue.ShownCase) -> int | None:
        return case.blind_rating.grade if case.blind_rating else None

    def get_aspect_names(self, case: queue.ShownCase) -> list[str]:
        names: list[str] = self.context["query"].aspect_names
        return names

    def get_decided(self, case: queue.ShownCase) -> bool:
        return case.decision is not None

    def get_grade(self, case: queue.ShownCase) -> int | None:
        return case.decision.grade if case.decision else None

    def get_referral_reason(self, case: queue.ShownCase) -> str:
        # It may tell the grades, and a spot check has none.
        return "" if case.is_blind else referral_reason(self.context["query"], case.token)


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


class BlindRatingAnswer(serializers.Serializer[BlindRating]):
    """A grade that you gave without seeing the judgments."""

    grade = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField()
    note = serializers.CharField()
    needs_decision = serializers.SerializerMethodField(
        help_text="The case shows both judgments now. False for a spot check, which is done."
    )
    created_at = serializers.DateTimeField()

    def get_needs_decision(self, rating: BlindRating) -> bool:
        return not rating.is_spot_check


class ClaimAnswer(serializers.Serializer[Claim]):
    """No other adjudicator is given the case before `expires_at`. Claim it again to renew it."""

    expires_at = serializers.DateTimeField()


class AdjudicationView(CollectionView):
    """A view of the cases that the adjudicator may decide; nothing else exists for it."""

    roles = (Role.ADJUDICATOR,)

    def open_query(self, name: str) -> Query:
        check_senior(self.collection, self.person)
        return row_or_404(queue.query_to_decide(self.collection, name))

    def pair_of(self, query: str, token: str) -> Pair:
        return row_or_404(
            queue.pair_to_decide(self.open_query(query), self.person, token)
            if token.isalnum()
            else None
        )


class Cases(AdjudicationView):
    @extend_schema(
        summary="The cases that are due, the largest difference first",
        description='Pairs with a "cannot judge" come before all others. Pairs that you grade '
        "without seeing the judgments have no difference: spot checks come last, and all pairs of "
        "a collection that grades blind first come in an order that does not depend on grades.",
        responses=CaseLine(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        check_senior(self.collection, self.person)
        held = claimed_by_others(self.collection, self.person)
        rows = queue.due_in_order(self.collection, self.person)
        return self.paged(rows, CaseLine, claimed=held)


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
        "409 with `not_senior` if you have not qualified as a senior, where seniors decide. "
        "409 with `already_decided` or `no_such_case`: it needs no decision any more. "
        "409 with `decision_in_public_version`: it stays, unless an admin has the pair decided "
        "again. 409 with `claimed_by_another`: another adjudicator has it open. 409 with "
        "`not_rated_blind`: grade it without the judgments first.",
        request=NewDecision,
        responses={200: DecisionAnswer, 201: DecisionAnswer},
    )
    def post(self, request: Request, slug: str, query: str, token: str) -> Response:
        pair = self.pair_of(query, token)
        body = self.parsed(NewDecision)
        is_repeated = Decision.objects.filter(pair=pair, key=body["key"]).exists()
        decision = decide(
            pair_id=pair.pk,
            adjudicator=self.person,
            judgment_ids=queue.judgments_of_digest(pair, body.pop("seen")),
            **body,
        )
        return Response(DecisionAnswer(decision).data, status=200 if is_repeated else 201)


class RateBlind(AdjudicationView):
    @extend_schema(
        summary="Grade a case before you see its two judgments",
        description="For a case whose `blind` is true. Grades are never changed: afterwards you "
        "decide the case, and both are kept. 409 as for a decision, and with "
        "`rated_blind_meanwhile` if you can see the judgments already.",
        request=NewBlindRating,
        responses={200: BlindRatingAnswer, 201: BlindRatingAnswer},
    )
    def post(self, request: Request, slug: str, query: str, token: str) -> Response:
        pair = self.pair_of(query, token)
        body = self.parsed(NewBlindRating)
        is_repeated = BlindRating.objects.filter(pair=pair, key=body["key"]).exists()
        rating = rate_blind(
            pair_id=pair.pk,
            adjudicator=self.person,
            judgment_ids=queue.judgments_of_digest(pair, body.pop("seen")),
            **body,
        )
        return Response(BlindRatingAnswer(rating).data, status=200 if is_repeated else 201)


class ClaimCase(AdjudicationView):
    @extend_schema(
        summary="Claim a case, or renew your claim",
        description="Other adjudicators are not given it for 15 minutes. 409 with "
        "`claimed_by_another`, `already_decided` or `no_such_case`: go on with the next case.",
        request=None,
        responses=ClaimAnswer,
    )
    def post(self, request: Request, slug: str, query: str, token: str) -> Response:
        pair = self.pair_of(query, token)
        self.parsed()  # refuses every key
        return Response(ClaimAnswer(claim_pair(pair_id=pair.pk, adjudicator=self.person)).data)


class Decisions(AdjudicationView):
    @extend_schema(summary="Your decisions, the latest first", responses=DecisionAnswer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(queue.own_decisions(self.collection, self.person), DecisionAnswer)
