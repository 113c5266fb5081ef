"""Help requests in the API: judges ask and read, admins answer."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import row_or_404
from accounts.api import CollectionView
from accounts.models import JUDGES_AND_ADJUDICATORS
from annotation.api import JudgingView
from annotation.help_requests.admin_pages import requests_of
from annotation.help_requests.reading import requests_for
from annotation.help_requests.services import answer_request, ask_for_help, mark_read
from annotation.models import LONGEST_HELP_TEXT, HelpRequest
from web.api.serializers import RequestSerializer


class NewHelpRequest(RequestSerializer):
    text = serializers.CharField(
        max_length=LONGEST_HELP_TEXT, help_text="Your question. Do not say which grade you give."
    )
    on_guideline = serializers.BooleanField(
        default=False, help_text="It is about the guideline, not about this pair alone."
    )
    key = serializers.UUIDField(
        help_text="A new key for each question. The same key sent again counts once."
    )


class NewHelpAnswer(RequestSerializer):
    answer = serializers.CharField(max_length=LONGEST_HELP_TEXT)
    for_all = serializers.BooleanField(
        default=False,
        help_text="All judges of the facet read the answer, without the question and the pair.",
    )


class HelpFields(serializers.Serializer[HelpRequest]):
    id = serializers.IntegerField(source="pk")
    facet = serializers.CharField(source="facet.key")
    answer = serializers.CharField(help_text="Empty before an admin has answered.")
    for_all = serializers.BooleanField()
    answered_at = serializers.DateTimeField(allow_null=True)


class OwnHelpRequestAnswer(HelpFields):
    """A question of yours, or an answer for all judges of a facet that you judge or adjudicate.

    Of an answer for all, the question is shown to its author alone.
    """

    is_own = serializers.SerializerMethodField()
    from_case = serializers.SerializerMethodField(
        help_text="Whether it is yours about a case: `token` is then that of the case."
    )
    query = serializers.SerializerMethodField(help_text="Empty if it is not about an own pair.")
    token = serializers.SerializerMethodField()
    text = serializers.SerializerMethodField(help_text="Your question; empty if it is not yours.")
    is_read = serializers.BooleanField(help_text="Whether you marked the answer as read.")

    def _is_own(self, row: HelpRequest) -> bool:
        return bool(row.asker_id == self.context["request"].user.pk)

    def get_is_own(self, row: HelpRequest) -> bool:
        return self._is_own(row)

    def get_from_case(self, row: HelpRequest) -> bool:
        return row.from_case and self._is_own(row)

    def get_query(self, row: HelpRequest) -> str:
        return row.pair.query.name if row.pair and self._is_own(row) else ""

    def get_token(self, row: HelpRequest) -> str:
        return row.token if self._is_own(row) else ""

    def get_text(self, row: HelpRequest) -> str:
        return row.text if self._is_own(row) else ""


class HelpRequestAnswer(HelpFields):
    """A question of a judge or an adjudicator, as admins see it."""

    from_case = serializers.BooleanField(help_text="Whether an adjudicator asked it about a case.")
    query = serializers.SerializerMethodField(help_text="Empty if it is about the guideline.")
    docno = serializers.SerializerMethodField()
    asker = serializers.CharField(source="asker.username")
    text = serializers.CharField()
    asked_at = serializers.DateTimeField()
    guideline_versions = serializers.SerializerMethodField(
        help_text="The versions of the guideline that were written from it."
    )

    def get_query(self, row: HelpRequest) -> str:
        return row.pair.query.name if row.pair else ""

    def get_docno(self, row: HelpRequest) -> str:
        return row.pair.candidate.document.docno if row.pair else ""

    @extend_schema_field(serializers.ListField(child=serializers.IntegerField()))
    def get_guideline_versions(self, row: HelpRequest) -> Any:
        return [example.guideline.version for example in row.examples.all()]


class AskersView(JudgingView):
    """A view of those who ask: judges and adjudicators."""

    roles: ClassVar[tuple[str, ...]] = JUDGES_AND_ADJUDICATORS


class OwnHelpRequests(AskersView):
    @extend_schema(
        summary="Your questions to the admin, and answers for all judges",
        responses=OwnHelpRequestAnswer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(requests_for(self.collection, self.person), OwnHelpRequestAnswer)


class AskAdmin(JudgingView):
    @extend_schema(
        summary="Ask the admin about a pair of yours, or about its guideline",
        description="409 with `already_asked` while a question of yours about the same is open. "
        "You can judge the pair meanwhile.",
        request=NewHelpRequest,
        responses={201: OwnHelpRequestAnswer},
    )
    def post(self, request: Request, slug: str, query: str, token: str) -> Response:
        self.my_query(query)
        slot = self.my_slot(query, token)
        row = ask_for_help(slot=slot, asker=self.person, **self.parsed(NewHelpRequest))
        saved = requests_for(self.collection, self.person).get(pk=row.pk)
        return Response(OwnHelpRequestAnswer(saved, context={"request": request}).data, status=201)


class ReadHelpAnswer(AskersView):
    @extend_schema(summary="Mark an answer as read", request=None, responses={204: None})
    def post(self, request: Request, slug: str, help_request: int) -> Response:
        rows = requests_for(self.collection, self.person).filter(pk=help_request)
        row_or_404(rows.first())
        self.parsed()  # refuses every key
        mark_read(collection=self.collection, reader=self.person, requests=rows)
        return Response(status=204)


class HelpRequests(CollectionView):
    @extend_schema(
        summary="Questions of judges and adjudicators",
        responses=HelpRequestAnswer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = requests_of(self.collection).select_related(
            "facet", "pair__query", "pair__candidate__document", "asker"
        )
        return self.paged(rows.prefetch_related("examples__guideline"), HelpRequestAnswer)


class AnswerHelpRequest(CollectionView):
    @extend_schema(
        summary="Answer a question of a judge or an adjudicator",
        description="An answer is given once. 409 with `names_secrets` if it has the exact name of "
        "a judge, an adjudicator, a run or a retriever, and with `already_answered`.",
        request=NewHelpAnswer,
        responses={200: HelpRequestAnswer},
    )
    def post(self, request: Request, slug: str, help_request: int) -> Response:
        row = row_or_404(requests_of(self.collection).filter(pk=help_request).first())
        answered = answer_request(
            request=row, answered_by=self.person, **self.parsed(NewHelpAnswer)
        )
        return Response(HelpRequestAnswer(answered).data)
