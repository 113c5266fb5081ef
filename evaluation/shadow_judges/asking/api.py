"""Asked models in the API, for admins."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from evaluation.shadow_judges.asking.models import DIGITS, PLACES, AskedPairs, Asking, LimitName
from evaluation.shadow_judges.asking.services import (
    HIGHEST_TEMPERATURE,
    LARGEST_SEED,
    LONGEST_ANSWER,
    LONGEST_TIMEOUT,
    MOST_CONCURRENCY,
    MOST_PER_MINUTE,
    MOST_REPETITIONS,
    AskingPlan,
    Limits,
    checked_asking,
    continue_asking,
    estimate,
    request_asking,
)
from evaluation.shadow_judges.services import (
    LONGEST_MODEL,
    LONGEST_NAME,
    LONGEST_TEXT,
    shadow_judge_named,
)
from jobs.api import JobAnswer, accepted
from web.api.serializers import RequestSerializer

MONEY: dict[str, Any] = {"max_digits": DIGITS, "decimal_places": PLACES, "min_value": 0}
LIMITS = tuple(Limits.__dataclass_fields__)


class AskingLimits(RequestSerializer):
    budget = serializers.DecimalField(**MONEY, help_text="In the currency of the prices.")
    requests_per_minute = serializers.IntegerField(
        min_value=1, max_value=MOST_PER_MINUTE, default=60
    )
    concurrency = serializers.IntegerField(min_value=1, max_value=MOST_CONCURRENCY, default=4)
    timeout_seconds = serializers.IntegerField(min_value=1, max_value=LONGEST_TIMEOUT, default=120)


class AskingRequest(AskingLimits):
    name = serializers.CharField(max_length=LONGEST_NAME)
    model = serializers.CharField(max_length=LONGEST_MODEL)
    address = serializers.CharField(
        max_length=600, help_text="One of the server’s setting MODEL_ADDRESSES, as it stands there."
    )
    template = serializers.CharField(
        max_length=60, default="guideline", help_text="guideline, umbrela or criteria."
    )
    description = serializers.CharField(max_length=LONGEST_TEXT, default="", allow_blank=True)
    temperature = serializers.FloatField(
        min_value=0, max_value=HIGHEST_TEMPERATURE, default=0, allow_null=True
    )
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED, default=1, allow_null=True)
    max_tokens = serializers.IntegerField(min_value=1, max_value=LONGEST_ANSWER, default=500)
    limit_name = serializers.ChoiceField(LimitName.choices, default=LimitName.MAX_TOKENS)
    repetitions = serializers.IntegerField(min_value=1, max_value=MOST_REPETITIONS, default=1)
    swaps = serializers.BooleanField(default=False)
    facets = serializers.ListField(
        child=serializers.CharField(max_length=30, allow_blank=True),
        default=list,
        help_text="Their keys. Empty: all.",
    )
    pairs = serializers.ChoiceField(AskedPairs.choices, default=AskedPairs.ALL)
    currency = serializers.RegexField("^[A-Z]{3}$", default="USD")
    prompt_price = serializers.DecimalField(**MONEY, default=Decimal(0))
    completion_price = serializers.DecimalField(**MONEY, default=Decimal(0))
    dry_run = serializers.BooleanField(
        default=False, help_text="Only answer the estimate and three prompts. Nothing is sent."
    )


class PromptAnswer(serializers.Serializer[Any]):
    query = serializers.CharField()
    docno = serializers.CharField()
    system = serializers.CharField(source="prompt.system")
    user = serializers.CharField(source="prompt.user")


class AskingEstimateAnswer(serializers.Serializer[Any]):
    pairs = serializers.IntegerField()
    requests = serializers.IntegerField()
    prompt_tokens = serializers.IntegerField(
        help_text="Estimated from a sample, 4 bytes for a token."
    )
    most_completion_tokens = serializers.IntegerField()
    prompt_cost = serializers.DecimalField(max_digits=None, decimal_places=PLACES)
    most_completion_cost = serializers.DecimalField(max_digits=None, decimal_places=PLACES)
    most_cost = serializers.DecimalField(max_digits=None, decimal_places=PLACES)
    currency = serializers.CharField()
    prompts = PromptAnswer(many=True)


class AskingAnswer(serializers.ModelSerializer[Asking]):
    name = serializers.CharField(source="shadow_judge.name")
    model = serializers.CharField(source="shadow_judge.model")

    class Meta:
        model = Asking
        exclude = ["shadow_judge"]


class AskedModels(CollectionView):
    @extend_schema(
        summary="Ask a model for its labels",
        description="With `dry_run`, 200 with the estimate. Nothing is sent then.",
        request=AskingRequest,
        responses={200: AskingEstimateAnswer, 202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        values = self.parsed(AskingRequest)
        is_tried = values.pop("dry_run")
        limits = Limits(**{name: values.pop(name) for name in LIMITS})
        plan = AskingPlan(**{**values, "facets": tuple(values["facets"])}, limits=limits)
        if is_tried:
            planned = estimate(self.collection, checked_asking(self.collection, plan))
            return Response(AskingEstimateAnswer(planned).data)
        job = request_asking(collection=self.collection, plan=plan, requested_by=self.person)
        return accepted(job)


class AskedModel(CollectionView):
    @extend_schema(
        summary="What a model is asked, and the figures of its answers",
        description="404 for a shadow judge whose labels came from a file.",
        responses=AskingAnswer,
    )
    def get(self, request: Request, slug: str, shadow_judge: str) -> Response:
        judge = shadow_judge_named(self.collection, shadow_judge)
        asking = Asking.objects.filter(pk=judge.pk).select_related("shadow_judge").first()
        if asking is None:
            raise Http404
        return Response(AskingAnswer(asking).data)

    @extend_schema(
        summary="Ask what has no answer yet, with these limits",
        request=AskingLimits,
        responses={202: JobAnswer},
    )
    def post(self, request: Request, slug: str, shadow_judge: str) -> Response:
        judge = shadow_judge_named(self.collection, shadow_judge)  # before the fields
        limits = Limits(**self.parsed(AskingLimits))
        job = continue_asking(
            collection=self.collection,
            name=judge.name,
            limits=limits,
            requested_by=self.person,
        )
        return accepted(job)
