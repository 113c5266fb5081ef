"""The datasheet in the API."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from bundle.datasheet.answers import LONGEST
from bundle.datasheet.questions import required_questions
from release.datasheets.current import answers_of, dates_known
from release.datasheets.services import save_answers
from web.api.serializers import RequestSerializer


def _answers_field() -> serializers.DictField:
    return serializers.DictField(
        child=serializers.CharField(
            allow_blank=True, trim_whitespace=False, max_length=LONGEST, allow_null=False
        ),
        help_text="Answers by the keys of their questions.",
    )


class DatasheetAnswers(RequestSerializer):
    answers = _answers_field()


class DatasheetState(serializers.Serializer[Any]):
    answers = _answers_field()
    missing = serializers.ListField(
        child=serializers.CharField(), help_text="The keys of required questions without an answer."
    )


class Datasheet(CollectionView):
    @extend_schema(summary="The answers of the datasheet", responses=DatasheetState)
    def get(self, request: Request, slug: str) -> Response:
        return self._state()

    @extend_schema(
        summary="Answer questions of the datasheet",
        description="Questions that are not sent keep their answers. An empty text removes one.",
        request=DatasheetAnswers,
        responses=DatasheetState,
    )
    def post(self, request: Request, slug: str) -> Response:
        answers = self.parsed(DatasheetAnswers)["answers"]
        save_answers(collection=self.collection, answers=answers, answered_by=self.person)
        return self._state()

    def _state(self) -> Response:
        answers = answers_of(self.collection)
        required = required_questions(dates_known=dates_known(self.collection))
        missing = [question.key for question in required if question.key not in answers]
        return Response({"answers": answers, "missing": missing})
