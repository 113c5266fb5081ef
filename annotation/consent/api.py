"""Consent in the API: the text, and a judge's agreement to it."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from accounts.models import JUDGES
from annotation.consent.reading import current_text, standing_consent
from annotation.consent.services import agree, withdraw
from web.api.serializers import RequestSerializer


class ConsentAnswer(serializers.Serializer[Any]):
    version = serializers.IntegerField(help_text="0 if the collection asks for no consent.")
    text = serializers.CharField(help_text="Markdown.")
    agreed_at = serializers.DateTimeField(
        allow_null=True, help_text="When you agreed to this version; null if you did not."
    )


class NewConsent(RequestSerializer):
    version = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, help_text="The version that you have read."
    )
    agree = serializers.BooleanField(
        help_text="false withdraws: your judgments stay, and you can give no more."
    )


class ConsentDetail(CollectionView):
    roles = JUDGES

    @extend_schema(summary="The consent text, and when you agreed to it", responses=ConsentAnswer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(self._answer())

    @extend_schema(
        summary="Agree to the consent text, or withdraw",
        description="Without it, judgments are refused (409). 409 if the text has changed.",
        request=NewConsent,
        responses=ConsentAnswer,
    )
    def post(self, request: Request, slug: str) -> Response:
        body = self.parsed(NewConsent)
        if body["agree"]:
            agree(collection=self.collection, person=self.person, version=body["version"])
        else:
            withdraw(collection=self.collection, person=self.person)
        return Response(self._answer())

    def _answer(self) -> dict[str, Any]:
        text = current_text(self.collection)
        given = standing_consent(self.collection, self.person)
        return ConsentAnswer(
            {
                "version": text.version if text else 0,
                "text": text.text if text else "",
                "agreed_at": given.agreed_at if given else None,
            }
        ).data
