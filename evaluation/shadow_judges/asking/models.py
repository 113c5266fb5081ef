"""A model that is asked, and each of its answers, as it came."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q

from accounts.models import HIGHEST_GRADE
from annotation.models import Pair
from evaluation.shadow_judges.asking.answers import AnswerProblem
from evaluation.shadow_judges.models import ShadowJudge

DIGITS, PLACES = 18, 9  # of money; a token may cost 0.000000015


class AskedPairs(models.TextChoices):
    """The pairs of open queries that a model is asked about."""

    ALL = "all", "All pairs of open queries"
    JUDGED = "judged", "Only pairs with both judgments"


class LimitName(models.TextChoices):
    """The parameter that limits an answer. OpenAI's later models know only the second."""

    MAX_TOKENS = "max_tokens", "max_tokens"
    MAX_COMPLETION_TOKENS = "max_completion_tokens", "max_completion_tokens"


class Asking(models.Model):
    """The questions to a shadow judge, whose `model` is asked with the template in its `prompt`.

    All that can change an answer stays as it is. The limits can be changed before it is continued.
    """

    shadow_judge = models.OneToOneField(
        ShadowJudge, models.CASCADE, primary_key=True, related_name="asking"
    )
    address = models.CharField(max_length=500, help_text="The base URL, such as http://host/v1.")
    key_name = models.CharField(
        max_length=100, blank=True, help_text="The environment variable that has the key, if any."
    )
    template = models.CharField(max_length=60)
    template_version = models.PositiveSmallIntegerField()
    template_sha256 = models.CharField(max_length=64, help_text="Of the template's file.")
    temperature = models.FloatField(null=True, blank=True, help_text="NULL: none is sent.")
    seed = models.PositiveIntegerField(null=True, blank=True, help_text="NULL: none is sent.")
    max_tokens = models.PositiveIntegerField(help_text="The longest answer.")
    limit_name = models.CharField(
        max_length=30,
        choices=LimitName,
        default=LimitName.MAX_TOKENS,
        help_text="The parameter that has it.",
    )
    repetitions = models.PositiveSmallIntegerField(default=1)
    swaps = models.BooleanField(
        default=False, help_text="Each pair is asked also with the candidate before the query."
    )
    facets: Any = models.JSONField(default=list, help_text="Their keys; empty for all.")
    pairs = models.CharField(max_length=10, choices=AskedPairs, default=AskedPairs.ALL)
    currency = models.CharField(max_length=3, default="USD")
    prompt_price = models.DecimalField(
        max_digits=DIGITS, decimal_places=PLACES, help_text="Of a million tokens of prompts."
    )
    completion_price = models.DecimalField(
        max_digits=DIGITS, decimal_places=PLACES, help_text="Of a million tokens of answers."
    )

    budget = models.DecimalField(max_digits=DIGITS, decimal_places=PLACES)
    requests_per_minute = models.PositiveIntegerField(default=60)
    concurrency = models.PositiveSmallIntegerField(default=4)
    timeout_seconds = models.PositiveIntegerField(default=120)

    in_flight_cost = models.DecimalField(
        max_digits=DIGITS,
        decimal_places=PLACES,
        default=0,
        help_text="The most that requests on their way can cost.",
    )
    in_flight_requests = models.PositiveSmallIntegerField(default=0)
    unanswered_cost = models.DecimalField(
        max_digits=DIGITS,
        decimal_places=PLACES,
        default=0,
        help_text="The most that requests without an answer can have cost.",
    )
    unanswered_requests = models.PositiveIntegerField(default=0)

    # Of its answers. The loop that stores answers adds them, so that no page reads all answers.
    answers_count = models.PositiveIntegerField(default=0)
    problems: Any = models.JSONField(default=dict, help_text="Answers without a grade, by problem.")
    prompt_tokens = models.PositiveBigIntegerField(default=0)
    completion_tokens = models.PositiveBigIntegerField(default=0)
    cost = models.DecimalField(max_digits=DIGITS, decimal_places=PLACES, default=0)
    seconds = models.FloatField(default=0.0, help_text="The sum over its requests.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(pairs__in=AskedPairs.values), name="asking_pairs_known"
            ),
            models.CheckConstraint(
                condition=Q(limit_name__in=LimitName.values), name="asking_limit_name_known"
            ),
            models.CheckConstraint(
                condition=Q(repetitions__gte=1)
                & Q(max_tokens__gte=1)
                & Q(requests_per_minute__gte=1)
                & Q(concurrency__gte=1)
                & Q(timeout_seconds__gte=1),
                name="asking_limits_are_at_least_one",
            ),
            models.CheckConstraint(
                condition=Q(prompt_price__gte=0)
                & Q(completion_price__gte=0)
                & Q(budget__gte=0)
                & Q(in_flight_cost__gte=0)
                & Q(unanswered_cost__gte=0),
                name="asking_money_is_not_negative",
            ),
        ]

    def __str__(self) -> str:
        return f"asking of {self.shadow_judge}"


class ModelAnswer(models.Model):
    """A model's answer about a pair, as it came. Triggers keep it unedited.

    The grade of a pair's first answer that is not swapped is its `ShadowLabel`: a trigger adds it.
    An answer without a grade has a problem. `criteria` has a grade for each criterion of a template
    that asks for them. Tokens are NULL where the server did not count them; the cost is then the
    most that the request can have cost.
    """

    # No index of its own, because the constraint's index begins with this column.
    shadow_judge = models.ForeignKey(
        ShadowJudge, models.CASCADE, related_name="answers", db_index=False
    )
    pair = models.ForeignKey(Pair, models.CASCADE, related_name="+")
    repetition = models.PositiveSmallIntegerField(help_text="1, 2, … of the same prompt.")
    swapped = models.BooleanField(help_text="The candidate came before the query.")
    prompt_digest = models.CharField(max_length=64, help_text="SHA-256 of what was sent.")
    raw = models.TextField(blank=True)
    grade = models.PositiveSmallIntegerField(null=True, blank=True)
    criteria: Any = models.JSONField(null=True, blank=True, help_text="A grade by criterion.")
    problem = models.CharField(max_length=20, blank=True)
    reported_model = models.CharField(max_length=200, blank=True)
    fingerprint = models.CharField(max_length=200, blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    cost = models.DecimalField(max_digits=DIGITS, decimal_places=PLACES)
    seconds = models.FloatField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["shadow_judge", "pair", "repetition", "swapped"]
        constraints = [
            models.UniqueConstraint(
                fields=["shadow_judge", "pair", "repetition", "swapped"],
                name="model_answer_once",
            ),
            models.CheckConstraint(
                condition=Q(grade__isnull=False, grade__lte=HIGHEST_GRADE, problem="")
                | Q(grade__isnull=True, problem__in=[problem.value for problem in AnswerProblem]),
                name="model_answer_grade_or_problem",
            ),
            models.CheckConstraint(
                condition=Q(repetition__gte=1), name="model_answer_repetition_from_one"
            ),
            models.CheckConstraint(
                condition=Q(cost__gte=0) & Q(seconds__gte=0), name="model_answer_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"answer {self.repetition} of {self.shadow_judge} on {self.pair}"
