"""Sentence labels in the API, for admins."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from accounts.models import OWNERS
from curation.labels.counts import LabelCounts, LabellerCount, count_labels
from curation.labels.labellers import BUILT_IN
from curation.labels.prediction import ONLY, UNLABELLED, request_labels
from jobs.api import JobAnswer, accepted
from web.api.serializers import JsonBody, RequestSerializer


class LabellerCountAnswer(serializers.Serializer[LabellerCount]):
    labeller = serializers.CharField(help_text="Name and version.")
    documents = serializers.IntegerField()
    checked = serializers.IntegerField()


class LabelsAnswer(serializers.Serializer[LabelCounts]):
    """Documents with text, by the source of their labels."""

    unlabelled = serializers.IntegerField()
    imported = serializers.IntegerField()
    predicted = serializers.IntegerField(help_text="By a labeller, and not checked.")
    checked = serializers.IntegerField(help_text="By a person.")
    without_text = serializers.IntegerField()
    labellers = LabellerCountAnswer(many=True)


class NewLabels(RequestSerializer):
    labeller = serializers.CharField(
        max_length=60, default=BUILT_IN, help_text="One of the collection, or the built-in one."
    )
    only = serializers.ChoiceField(
        ONLY,
        default=UNLABELLED,
        help_text="Documents without labels, or those with unchecked predicted labels.",
    )


class SentenceLabels(CollectionView):
    roles = OWNERS
    parser_classes = [JsonBody]

    @extend_schema(summary="Documents by the source of their labels", responses=LabelsAnswer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(LabelsAnswer(count_labels(self.collection)).data)

    @extend_schema(
        summary="Predict the labels of sentences",
        description="Labels that were imported or checked by a person do not change.",
        request=NewLabels,
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        values = self.parsed(NewLabels)
        job = request_labels(collection=self.collection, requested_by=self.person, **values)
        return accepted(job)
