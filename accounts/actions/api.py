"""The record of a collection's actions in the API, for its admins."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actions.kinds import ActionKind, ActionWay, SubjectKind
from accounts.actions.models import RecordedAction
from accounts.actions.reading import ActionChoice, actions_of, matching, with_people
from accounts.api import CollectionView
from web.api.serializers import RequestSerializer


class ActionAnswer(serializers.Serializer[RecordedAction]):
    at = serializers.DateTimeField()
    kind = serializers.ChoiceField(ActionKind.choices)
    person = serializers.CharField(
        source="person.username", allow_null=True, help_text="Who did it; null for the server."
    )
    subject_kind = serializers.ChoiceField(SubjectKind.choices)
    subject = serializers.SerializerMethodField(help_text="A username, or an id such as a query's.")
    details = serializers.DictField()
    way = serializers.ChoiceField(ActionWay.choices)
    tool = serializers.CharField(help_text="The name of the token, the command or the job's kind.")

    def get_subject(self, action: RecordedAction) -> str:
        return action.about.username if action.about else action.subject_label


class ActionParameters(RequestSerializer):
    kind = serializers.ChoiceField(ActionKind.choices, required=False)
    person = serializers.CharField(
        max_length=150, required=False, help_text="Who did it: the username, or a part of the name."
    )
    way = serializers.ChoiceField(ActionWay.choices, required=False)
    since = serializers.DateField(required=False, help_text="The first day.")
    until = serializers.DateField(required=False, help_text="The last day.")
    cursor = serializers.CharField(
        max_length=200, required=False, help_text="The place of a page, from `next`."
    )
    page_size = serializers.IntegerField(required=False, min_value=1, max_value=1000)


class ActionCursor(CursorPagination):
    """Pages by place and not by number: none is slower than another, and rows are not counted."""

    ordering = ("-at", "-id")
    page_size = 100
    page_size_query_param = "page_size"
    max_page_size = 1000


class Actions(CollectionView):
    pagination_class = ActionCursor

    @extend_schema(
        summary="The record of actions, the newest first",
        parameters=[ActionParameters],
        responses=ActionAnswer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        chosen: dict[str, Any] = dict(self.parameters(ActionParameters).validated_data)
        for place in ("cursor", "page_size"):
            chosen.pop(place, None)
        actions = matching(actions_of(self.collection), ActionChoice(**chosen))
        paginator = ActionCursor()
        page: Any = paginator.paginate_queryset(with_people(actions), request, view=self)
        return paginator.get_paginated_response(ActionAnswer(page, many=True).data)
