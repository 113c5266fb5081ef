"""Questions to a judge, in the API of the people who judge."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api import JudgingView
from annotation.models import KeptAnswer, PairQuestion
from annotation.questions.reading import own_question, own_questions
from annotation.questions.services import NoOpenQuestion, keep_judgment
from web.api.serializers import RequestSerializer


class OwnQuestionAnswer(serializers.Serializer[PairQuestion]):
    """A pair to look at again, with the numbers of the marked sentences, from 1."""

    query = serializers.CharField(source="pair.query.name")
    token = serializers.CharField(source="pair.token")
    question = serializers.CharField(source="get_wording_display")
    query_sentences = serializers.ListField(child=serializers.IntegerField())
    candidate_sentences = serializers.ListField(child=serializers.IntegerField())


class OwnQuestions(JudgingView):
    @extend_schema(
        summary="The pairs that an adjudicator asks you to look at again",
        description="Keep your judgment, or give another one as for any pair.",
        responses=OwnQuestionAnswer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = own_questions(self.collection, self.person).select_related("pair__query")
        return self.paged(rows, OwnQuestionAnswer)


class Kept(RequestSerializer):
    judgment_key = serializers.UUIDField(
        help_text="The pair's `judgment_key`: the judgment that you keep."
    )


class KeepJudgment(JudgingView):
    @extend_schema(
        summary="Keep your judgment of a pair that you were asked about",
        description="The same request again changes nothing. 409 with `no_open_question` if no "
        "question to you is open on this pair, and with `revised_meanwhile` if that is not your "
        "judgment any more.",
        request=Kept,
        responses={204: None},
    )
    def post(self, request: Request, slug: str, query: str, token: str) -> Response:
        own_query, slot = self.my_query(query), self.my_slot(query, token)
        key = self.parsed(Kept)["judgment_key"]
        question = own_question(own_query, self.person, token)
        if question is not None:
            keep_judgment(question_id=question.pk, annotator=self.person, judgment_key=key)
        elif not KeptAnswer.objects.filter(judgment__slot=slot.pk, judgment__key=key).exists():
            raise NoOpenQuestion("No question to you is open on this pair. Nothing was saved.")
        return Response(status=204)
