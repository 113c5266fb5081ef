"""A question to the admin about a case, in the API of adjudicators."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from adjudication.api import AdjudicationView
from adjudication.help_requests.services import ask_about_case
from annotation.help_requests.api import NewHelpRequest, OwnHelpRequestAnswer
from annotation.help_requests.reading import requests_for


class AskAdminAboutCase(AdjudicationView):
    @extend_schema(
        summary="Ask the admin about a case, or about its guideline",
        description="409 with `already_asked` while a question of yours about the same is open, "
        "and with `no_such_case`. You can decide the case meanwhile. The answer is in "
        "`judging/help-requests/`.",
        request=NewHelpRequest,
        responses={201: OwnHelpRequestAnswer},
    )
    def post(self, request: Request, slug: str, query: str, token: str) -> Response:
        pair = self.pair_of(query, token)
        row = ask_about_case(pair_id=pair.pk, asker=self.person, **self.parsed(NewHelpRequest))
        saved = requests_for(self.collection, self.person).get(pk=row.pk)
        return Response(OwnHelpRequestAnswer(saved, context={"request": request}).data, status=201)
