"""Qualifications in the API: all rows, and the admin's overrides and withdrawals."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from accounts.models import Collection, User
from annotation.models import LONGEST_REASON, Level, Qualification
from annotation.qualifications.services import give_qualification, withdraw_qualification
from annotation.qualifications.standing import qualifications_of
from database.dry_run import rolled_back_if
from web.api.serializers import DryRun


class QualificationAnswer(serializers.Serializer[Qualification]):
    person = serializers.CharField(source="person.username")
    level = serializers.CharField(help_text="`judge` or `senior`.")
    basis = serializers.CharField(
        help_text="`training`, `judgments`, `override`, or `withdrawal`. The latest row of a "
        "person and level counts."
    )
    rho = serializers.FloatField(allow_null=True)
    pairs = serializers.IntegerField(allow_null=True, help_text="Those behind `rho`.")
    reason = serializers.CharField()
    given_by = serializers.SerializerMethodField(help_text="An admin; null for a measurement.")
    given_at = serializers.DateTimeField()

    def get_given_by(self, row: Qualification) -> str | None:
        return row.given_by.username if row.given_by else None


class NewQualification(DryRun):
    person = serializers.CharField(max_length=150, help_text="Username.")
    level = serializers.ChoiceField(
        choices=[(level.value, level.label) for level in Level],
        help_text="`judge`: has a live queue. `senior`: adjudicates, where a collection has tiers.",
    )
    withdraw = serializers.BooleanField(
        default=False, help_text="Withdraw the qualification instead of giving it."
    )
    reason = serializers.CharField(max_length=LONGEST_REASON)


class Qualifications(CollectionView):
    @extend_schema(
        summary="Qualifications and withdrawals, the latest first",
        responses=QualificationAnswer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(qualifications_of(self.collection), QualificationAnswer)

    @extend_schema(
        summary="Qualify a person without a measurement, or withdraw a qualification",
        description="The reason is kept. 409 with `qualification_stands` if there is nothing to "
        "give or to withdraw. With `dry_run`, the row that would be stored.",
        request=NewQualification,
        responses={200: QualificationAnswer, 201: QualificationAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        body = self.parsed(NewQualification)
        change = withdraw_qualification if body["withdraw"] else give_qualification
        with rolled_back_if(body["dry_run"]):
            row = change(
                collection=self.collection,
                person=_person_named(self.collection, body["person"]),
                level=Level(body["level"]),
                reason=body["reason"],
                given_by=self.person,
            )
            answer = QualificationAnswer(row).data
        return Response(answer, status=200 if body["dry_run"] else 201)


def _person_named(collection: Collection, username: str) -> User:
    member = collection.memberships.filter(user__username=username).select_related("user").first()
    if member is None:
        raise ValidationError({"person": [f"No person {username!r} in this collection."]})
    return member.user
