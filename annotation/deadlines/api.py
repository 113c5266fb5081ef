"""Deadlines in the API, for admins and owner-annotators."""

from __future__ import annotations

from datetime import date
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from accounts.models import OWNERS, Collection, User
from annotation.deadlines.services import deadlines_of, set_deadlines
from web.api.serializers import NoKeys, RequestSerializer


class AnnotatorDeadline(serializers.Serializer[Any]):
    username = serializers.CharField()
    due_on = serializers.DateField(allow_null=True)


class DeadlinesAnswer(serializers.Serializer[Any]):
    due_on = serializers.DateField(allow_null=True, help_text="The last day for all pairs.")
    annotators = AnnotatorDeadline(
        many=True, help_text="Dates of single annotators, which hold in place of that of all."
    )


class NewAnnotatorDeadline(RequestSerializer):
    username = serializers.CharField()
    due_on = serializers.DateField(allow_null=True)


class NewDeadlines(RequestSerializer):
    """Dates that are left out stay. null removes a date."""

    due_on = serializers.DateField(required=False, allow_null=True)
    annotators = NewAnnotatorDeadline(many=True, required=False)


class Deadlines(CollectionView):
    roles: ClassVar[tuple[str, ...]] = OWNERS

    @extend_schema(summary="By when pairs are to be judged", responses=DeadlinesAnswer)
    def get(self, request: Request, slug: str) -> Response:
        self.parameters(NoKeys)
        return Response(_answer(self.collection))

    @extend_schema(
        summary="Set or remove dates",
        description="409 with `past_deadline` for a day before today, and with `no_annotator` for "
        "a person who does not judge here.",
        request=NewDeadlines,
        responses=DeadlinesAnswer,
    )
    def post(self, request: Request, slug: str) -> Response:
        values = self.parsed(NewDeadlines)
        dates: dict[User | None, date | None] = {}
        if "due_on" in values:
            dates[None] = values["due_on"]
        members = User.objects.filter(memberships__collection=self.collection)
        people = {person.username: person for person in members}
        for line in values.get("annotators", ()):
            if line["username"] not in people:
                message = f"No person {line['username']!r} in this collection."
                raise serializers.ValidationError({"annotators": [message]})
            dates[people[line["username"]]] = line["due_on"]
        set_deadlines(collection=self.collection, dates=dates)
        return Response(_answer(self.collection))


def _answer(collection: Collection) -> dict[str, Any]:
    dates = deadlines_of(collection)
    people = User.objects.filter(pk__in=[pk for pk in dates if pk]).order_by("username")
    annotators = [{"username": each.username, "due_on": dates[each.pk]} for each in people]
    return {"due_on": dates.get(None), "annotators": annotators}
