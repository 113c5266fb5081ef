"""The own notices in the API, and which of them come by mail."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import ApiView
from accounts.models import User
from accounts.tokens.scopes import EVERY_SCOPE, TokenScope
from notices.choices import change_choice, choice_of
from notices.models import Frequency, MailChoice, NoticeKind
from notices.waiting import Notice, active_roles, notices_for
from web.api.serializers import NoKeys, RequestSerializer


class NoticeAnswer(serializers.Serializer[Notice]):
    kind = serializers.ChoiceField(NoticeKind.choices)
    collection = serializers.CharField(source="collection.slug")
    number = serializers.IntegerField()
    due_on = serializers.DateField(allow_null=True, help_text="By when you are to judge the pairs.")


class MailChoiceAnswer(serializers.Serializer[MailChoice]):
    frequency = serializers.ChoiceField(Frequency.choices)
    kinds = serializers.ListField(child=serializers.ChoiceField(NoticeKind.choices))


class NoticesAnswer(serializers.Serializer[Any]):
    waiting = NoticeAnswer(many=True)
    mails = MailChoiceAnswer()


class NewMailChoice(RequestSerializer):
    """Fields that are left out stay as they are."""

    frequency = serializers.ChoiceField(Frequency.choices, required=False)
    kinds = serializers.ListField(
        child=serializers.ChoiceField(NoticeKind.choices),
        required=False,
        help_text="Those that come by mail. The others do not.",
    )


class Notices(ApiView):
    @classmethod
    def scopes_for(cls, method: str) -> frozenset[TokenScope]:
        """Each scope reads what is the person's own, and those that write choose it."""
        return EVERY_SCOPE - ({TokenScope.READ} if method.upper() == "POST" else set())

    @extend_schema(summary="What waits for you, and which mails you get", responses=NoticesAnswer)
    def get(self, request: Request) -> Response:
        self.parameters(NoKeys)
        return Response(_answer(self.person))

    @extend_schema(
        summary="Choose which mails you get", request=NewMailChoice, responses=NoticesAnswer
    )
    def post(self, request: Request) -> Response:
        values = self.parsed(NewMailChoice)
        kinds = values.pop("kinds", None)
        if kinds is not None:
            values |= {kind: kind in kinds for kind in NoticeKind.values}
        change_choice(user=self.person, **values)
        return Response(_answer(self.person))


def _answer(person: User) -> dict[str, Any]:
    choice = choice_of(person)
    waiting = [NoticeAnswer(each).data for each in notices_for(person, active_roles(person))]
    kinds = sorted(choice.kinds)
    return {"waiting": waiting, "mails": {"frequency": choice.frequency, "kinds": kinds}}
