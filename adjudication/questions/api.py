"""Questions to the judges of a case, in the API of adjudicators."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import row_or_404
from adjudication import queue
from adjudication.api import AdjudicationView
from adjudication.questions.forms import LONGEST
from adjudication.questions.reading import questions_to_others
from adjudication.questions.services import ask_judges, take_back
from adjudication.tiers import check_senior
from annotation.models import PairQuestion, Wording
from web.api.serializers import RequestSerializer


def _numbers(of: str) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LONGEST),
        default=list,
        max_length=LONGEST,
        help_text=f"Numbers of the sentences of the {of} to mark, from 1.",
    )


class NewQuestion(RequestSerializer):
    wording = serializers.ChoiceField(
        Wording.choices, help_text="The words of the question. Both judges get the same."
    )
    query_sentences = _numbers("query")
    candidate_sentences = _numbers("candidate")
    seen = serializers.CharField(
        max_length=64, help_text="The case's `seen`: it names the two judgments that you saw."
    )


class QuestionAnswer(serializers.Serializer[PairQuestion]):
    """A question that is open. What a judge answered is not told before both have answered."""

    id = serializers.IntegerField(source="pk")
    query = serializers.CharField(source="pair.query.name")
    token = serializers.CharField(source="pair.token")
    wording = serializers.CharField()
    query_sentences = serializers.ListField(child=serializers.IntegerField())
    candidate_sentences = serializers.ListField(child=serializers.IntegerField())
    asked_at = serializers.DateTimeField()


class Questions(AdjudicationView):
    @extend_schema(
        summary="The questions that judges have not answered yet",
        responses=QuestionAnswer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        check_senior(self.collection, self.person)
        rows = questions_to_others(self.collection, self.person).open()
        return self.paged(rows.select_related("pair__query"), QuestionAnswer)


class AskJudges(AdjudicationView):
    @extend_schema(
        summary="Ask both judges of a case to look again",
        description="The case waits until both have answered. 409 with `cannot_ask` if they were "
        "asked before or cannot answer, and as for a decision.",
        request=NewQuestion,
        responses={201: QuestionAnswer},
    )
    def post(self, request: Request, slug: str, query: str, token: str) -> Response:
        pair = self.pair_of(query, token)
        body = self.parsed(NewQuestion)
        question = ask_judges(
            pair_id=pair.pk,
            asked_by=self.person,
            judgment_ids=queue.judgments_of_digest(pair, body.pop("seen")),
            **body,
        )
        return Response(QuestionAnswer(question).data, status=201)


class TakeQuestionBack(AdjudicationView):
    @extend_schema(
        summary="Take a question back",
        description="The case is due again. 409 with `cannot_take_back` if both have answered.",
        request=None,
        responses={204: None},
    )
    def post(self, request: Request, slug: str, question: int) -> Response:
        rows = questions_to_others(self.collection, self.person).filter(pk=question)
        found = row_or_404(rows.first())
        self.parsed()  # refuses every key
        take_back(question=found, taken_back_by=self.person)
        return Response(status=204)
