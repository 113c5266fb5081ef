"""Judged pairs that are decided again, in the API, for admins."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from adjudication.models import Recipient, Referral
from adjudication.referrals.services import refer_pair
from annotation.api import annotator_named
from annotation.models import LONGEST_REASON
from database.dry_run import rolled_back_if
from web.api.serializers import DryRun


class ReferralAnswer(serializers.Serializer[Referral]):
    query = serializers.CharField(source="pair.query.name")
    docno = serializers.CharField(source="pair.candidate.document.docno")
    recipient = serializers.CharField(help_text="`adjudicator` or `judges`.")
    reason = serializers.CharField()
    created_at = serializers.DateTimeField()


class NewReferral(DryRun):
    query = serializers.CharField(max_length=240)
    docno = serializers.CharField(max_length=200)
    recipient = serializers.ChoiceField(
        choices=[(recipient.value, recipient.label) for recipient in Recipient],
        help_text="`adjudicator`: the pair is a case, also if both grades are equal. `judges`: two "
        "judges judge it blind, and earlier judgments no longer count.",
    )
    reason = serializers.CharField(
        max_length=LONGEST_REASON, help_text="The changelog of the next version publishes it."
    )
    annotator_1 = serializers.CharField(
        max_length=150,
        default="",
        allow_blank=True,
        help_text="Username of a new annotator of slot 1, who takes over all its unjudged pairs. "
        "Empty: the current judge of the query.",
    )
    annotator_2 = serializers.CharField(
        max_length=150, default="", allow_blank=True, help_text="The same for slot 2."
    )


class Referrals(CollectionView):
    @extend_schema(
        summary="Judged pairs that are decided again, the latest first",
        responses=ReferralAnswer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = Referral.objects.of(self.collection)
        rows = rows.select_related("pair__query", "pair__candidate__document")
        return self.paged(rows, ReferralAnswer)

    @extend_schema(
        summary="Have a judged pair decided again",
        description="409 with `cannot_refer` if the pair does not have two judgments, waits for "
        "the adjudicator already, or has no two judges. With `dry_run`, what would be stored.",
        request=NewReferral,
        responses={200: ReferralAnswer, 201: ReferralAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        body = self.parsed(NewReferral)
        dry_run = body.pop("dry_run")
        annotators = {
            number: annotator_named(username, self.collection, f"annotator_{number}")
            for number in (1, 2)
            if (username := body.pop(f"annotator_{number}"))
        }
        with rolled_back_if(dry_run):
            referral = refer_pair(
                collection=self.collection, referred_by=self.person, annotators=annotators, **body
            )
            answer = ReferralAnswer(referral).data
        return Response(answer, status=200 if dry_run else 201)
