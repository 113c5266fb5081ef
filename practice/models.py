"""Practice before live judging: pilot rounds, and sets for training with known grades.

Its judgments stand beside those in slots and never count: docs/adr/0054-practice.md.
"""

from __future__ import annotations

import re

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy

from accounts.models import HIGHEST_GRADE, Collection
from annotation.models import AppendedAnswer, Guideline, grade_or_reason
from corpus.models import Document, Query
from practice.training.models import TrainingResult

__all__ = [
    "PracticeGuideline",
    "PracticeJudgment",
    "PracticeKind",
    "PracticeMember",
    "PracticePair",
    "PracticeSet",
    "TrainingResult",
]


class PracticeKind(models.TextChoices):
    PILOT = "pilot", gettext_lazy("Pilot round")
    TRAINING = "training", gettext_lazy("Training set")

    @property
    def in_text(self) -> str:
        """The kind within a sentence. German writes it with a capital there, too."""
        return gettext("pilot round") if self is PracticeKind.PILOT else gettext("training set")


class PracticeSetQuerySet(models.QuerySet["PracticeSet"]):
    def named(self, name: str) -> PracticeSetQuerySet:
        """The set of this name, such as "pilot-2"; none if the name has another form."""
        found = re.fullmatch(r"([a-z]+)-([1-9][0-9]{0,3})", name)
        return self.filter(kind=found[1], number=int(found[2])) if found else self.none()

    def pilots(self) -> PracticeSetQuerySet:
        return self.filter(kind=PracticeKind.PILOT)


class PracticeSet(models.Model):
    """Pairs that all of its members judge. It stays as it was made.

    `highest_grade` is that of the collection when it was made, because the scale may change between
    two rounds. `parameters` are those of the choice of its pairs.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="practice_sets")
    kind = models.CharField(max_length=10, choices=PracticeKind)
    number = models.PositiveSmallIntegerField(help_text="1, 2, … of its kind.")
    seed = models.CharField(max_length=64)
    highest_grade = models.PositiveSmallIntegerField()
    parameters = models.JSONField(default=dict)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(
        null=True, blank=True, help_text="From then on it takes no judgments."
    )

    objects = PracticeSetQuerySet.as_manager()

    class Meta:
        ordering = ["kind", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "kind", "number"], name="practice_set_number_once"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=PracticeKind.values), name="practice_set_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(number__gte=1, highest_grade__range=(1, HIGHEST_GRADE)),
                name="practice_set_numbers_in_range",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def name(self) -> str:
        """Its name in addresses and files."""
        return f"{self.kind}-{self.number}"

    @property
    def title(self) -> str:
        return f"{PracticeKind(self.kind).label} {self.number}"

    @property
    def title_in_text(self) -> str:
        return f"{PracticeKind(self.kind).in_text} {self.number}"

    @property
    def is_closed(self) -> bool:
        return self.closed_at is not None


class PracticeGuideline(models.Model):
    """The version of a facet's guideline by which the pairs of a set are judged."""

    practice_set = models.ForeignKey(PracticeSet, models.CASCADE, related_name="guidelines")
    guideline = models.ForeignKey(Guideline, models.PROTECT, related_name="practice_guidelines")

    class Meta:
        ordering = ["practice_set", "guideline__facet"]
        constraints = [
            models.UniqueConstraint(
                fields=["practice_set", "guideline"], name="practice_guideline_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.guideline} in {self.practice_set}"


class PracticePair(models.Model):
    """A query and a document to judge in practice. `token` names it in addresses.

    It names the document and not a candidate, because a draft of a pool may be replaced.
    `gold` is the known grade, which only pairs for training have; `explanation` says why.
    """

    practice_set = models.ForeignKey(PracticeSet, models.CASCADE, related_name="pairs")
    query = models.ForeignKey(Query, models.PROTECT, related_name="practice_pairs")
    document = models.ForeignKey(Document, models.PROTECT, related_name="practice_pairs")
    token = models.CharField(max_length=32)
    gold = models.PositiveSmallIntegerField(null=True, blank=True)
    explanation = models.TextField(blank=True)

    class Meta:
        ordering = ["practice_set", "token"]
        constraints = [
            models.UniqueConstraint(
                fields=["practice_set", "query", "document"], name="practice_pair_once"
            ),
            models.UniqueConstraint(
                fields=["practice_set", "token"], name="practice_pair_token_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.document} for {self.query} in {self.practice_set}"


class PracticeMember(models.Model):
    """A person who judges the pairs of a set. `finished_at` ends that before the set is closed."""

    practice_set = models.ForeignKey(PracticeSet, models.CASCADE, related_name="members")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="practice_memberships"
    )
    added_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["practice_set", "annotator__username"]
        constraints = [
            models.UniqueConstraint(
                fields=["practice_set", "annotator"], name="practice_member_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.annotator} in {self.practice_set}"

    @property
    def takes_answers(self) -> bool:
        return not (self.practice_set.is_closed or self.finished_at)


class PracticeJudgmentQuerySet(models.QuerySet["PracticeJudgment"]):
    def counting(self) -> PracticeJudgmentQuerySet:
        """Those that count: the last of each person on each pair."""
        later = PracticeJudgment.objects.filter(
            pair=models.OuterRef("pair"),
            annotator=models.OuterRef("annotator"),
            sequence__gt=models.OuterRef("sequence"),
        )
        return self.filter(~models.Exists(later))


class PracticeJudgment(AppendedAnswer):
    """A member's answer to a pair. Appended and superseded, never edited; it is in no slot."""

    pair = models.ForeignKey(PracticePair, models.PROTECT, related_name="judgments", db_index=False)
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="practice_judgments"
    )
    guideline_version = models.PositiveSmallIntegerField(help_text="It was made under this one.")

    objects = PracticeJudgmentQuerySet.as_manager()

    class Meta:
        ordering = ["pair", "annotator", "sequence"]
        constraints = [
            models.UniqueConstraint(
                fields=["pair", "annotator", "sequence"], name="practice_judgment_sequence_once"
            ),
            grade_or_reason("practice_judgment_grade_or_reason"),
        ]

    def __str__(self) -> str:
        return f"judgment {self.sequence} of {self.annotator} on {self.pair}"
