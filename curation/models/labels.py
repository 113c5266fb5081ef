"""Sources of sentence labels other than an import."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from accounts.models import Collection
from corpus.models import Document


class Labeller(models.Model):
    """A sentence labeller that was trained for a collection. `weights` is its whole file."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="labellers")
    name = models.SlugField(max_length=60)
    labels = models.JSONField(help_text="The labels that it predicts.")
    training = models.JSONField(help_text="What it was trained on, the seed, and its scores.")
    weights = models.BinaryField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of the weights.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="labeller_name_once"),
            models.CheckConstraint(condition=~models.Q(name=""), name="labeller_has_name"),
        ]

    def __str__(self) -> str:
        return self.name


class LabelRecordQuerySet(models.QuerySet["LabelRecord"]):
    def unchecked(self) -> LabelRecordQuerySet:
        """Predicted labels that no person has checked."""
        return self.filter(checked_at=None)

    def checked(self) -> LabelRecordQuerySet:
        return self.filter(checked_at__isnull=False)


class LabelRecord(models.Model):
    """The source of a document's labels. Imported labels have no record.

    A labeller predicted them, a person checked them, or both. `digest` is the text digest of the
    document that the record describes: a trigger deletes the record when the document changes in
    any other way, as by an import.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="label_records")
    document = models.OneToOneField(Document, models.CASCADE, related_name="label_record")
    digest = models.CharField(max_length=64)
    labeller = models.CharField(
        max_length=80, blank=True, help_text="Name and version; empty without a prediction."
    )
    predicted_labels = models.JSONField(default=list, help_text="A label for each sentence.")
    confidences = models.JSONField(
        default=list, help_text="The probability of each predicted label, from 0 to 1."
    )
    lowest_confidence = models.FloatField(null=True, blank=True)
    checked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="checked_labels",
    )
    checked_at = models.DateTimeField(null=True, blank=True)

    objects = LabelRecordQuerySet.as_manager()

    class Meta:
        ordering = ["document__docno_order"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(checked_by=None, checked_at=None)
                | models.Q(checked_by__isnull=False, checked_at__isnull=False),
                name="label_record_checked_by_a_person",
            ),
            models.CheckConstraint(
                condition=~models.Q(labeller="") | models.Q(checked_at__isnull=False),
                name="label_record_has_a_source",
            ),
            models.CheckConstraint(
                condition=models.Q(labeller="", lowest_confidence=None)
                | models.Q(
                    # NULL would make the range unknown, which a constraint accepts.
                    ~models.Q(labeller=""),
                    lowest_confidence__isnull=False,
                    lowest_confidence__range=(0, 1),
                ),
                name="label_record_predicted_with_confidence",
            ),
        ]
        indexes = [
            models.Index(
                fields=["collection", "lowest_confidence", "id"],
                condition=models.Q(checked_at=None),
                name="label_record_to_check",
            ),
            models.Index(
                fields=["collection", "labeller", "checked_at"], name="label_record_by_labeller"
            ),
        ]

    def __str__(self) -> str:
        return f"labels of {self.document}"

    @property
    def is_checked(self) -> bool:
        return self.checked_at is not None
