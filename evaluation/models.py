"""Sampled copies (collections made of some pairs of another, to be judged again), and models as judges."""

from __future__ import annotations

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone

from accounts.models import Collection, User
from corpus.models import Document, Query

# Also the name of a folder in releases, so never "..", and no two that differ in case alone.
NAME = RegexValidator(
    r"\A[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?\Z",
    "Use letters, digits, dots, _ and - only, with a letter or digit first and last.",
)


class SampledCopy(models.Model):
    """`strata` are what the sample was drawn by ("grade", "field", …), `sizes` the pairs that each stratum has
    in the original, by its name, `drawn` the stratum of each sampled pair: {"query docno": name}."""

    original = models.ForeignKey(Collection, models.PROTECT, related_name="copies")
    copy = models.OneToOneField(Collection, models.CASCADE, related_name="copied_from")
    strata = models.JSONField()
    sizes = models.JSONField()
    drawn = models.JSONField()
    has_other_texts = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.copy}, sampled from {self.original}"


class ModelJudge(models.Model):
    """A model that graded pairs: asked at an address of the server's operator, or imported (then `address` is "").

    `parameters` are sent with each request. `prompts` are the templates by facet, with the guideline that was in
    force; `prompt_version` is their SHA-256 (hex). `requests` were sent so far, those without an answer too.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="model_judges")
    name = models.CharField(
        max_length=100, validators=[NAME], help_text="As tables and releases name it, such as llama-guideline."
    )
    model = models.CharField(max_length=200, help_text="As the server names it.")
    address = models.CharField(max_length=50, blank=True)
    parameters = models.JSONField(default=dict)
    prompt = models.CharField(max_length=50, blank=True)
    prompts = models.JSONField(default=dict)
    prompt_version = models.CharField(max_length=64, blank=True)
    requests = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("name",)
        constraints = [models.UniqueConstraint("collection", Lower("name"), name="model_judge_once_in_a_collection")]

    def __str__(self) -> str:
        return self.name


class Problem(models.TextChoices):
    """Why an answer has no grade."""

    EMPTY = "empty", "The answer is empty"
    NO_GRADE = "no-grade", "No grade as it was asked for"
    OFF_SCALE = "off-scale", "The grade is not on the scale"
    SEVERAL = "several", "Several grades"
    CUT_OFF = "cut-off", "Cut off at the longest length"
    REFUSED = "refused", "The model refused"
    REJECTED = "rejected", "The server rejected the request"
    UNREADABLE = "unreadable", "The server's answer is not in the protocol"


class ModelLabel(models.Model):
    """A model's answer for a pair, as it came (without keys). No people's label, and never part of their qrels."""

    judge = models.ForeignKey(ModelJudge, models.CASCADE, related_name="labels")
    query = models.ForeignKey(Query, models.CASCADE, related_name="+")
    document = models.ForeignKey(Document, models.CASCADE, related_name="+")
    grade = models.PositiveSmallIntegerField(null=True)
    problem = models.CharField(max_length=10, choices=Problem, blank=True)
    answer = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judge", "query", "document"], name="model_label_once"),
            models.CheckConstraint(
                condition=Q(grade=None) ^ Q(problem=""), name="model_label_has_a_grade_or_a_problem"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judge}: {self.query} × {self.document}"
