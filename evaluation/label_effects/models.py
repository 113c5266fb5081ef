"""Stored comparisons of labels. Each is replaced when it is computed again."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from accounts.models import Collection
from agreement.models import JSONText
from evaluation.shadow_judges.models import ShadowJudge


class ReportKind(models.TextChoices):
    LABEL_EFFECTS = "label-effects", "labels of the judges"
    CITED_PAPERS = "cited-papers", "citations as labels"
    SHADOW_JUDGE = "shadow-judge", "labels of a model"


class LabelReport(models.Model):
    """The result of a comparison of labels, under one measure.

    `state` is a digest of everything that it was computed from, so that the page can say when it
    is out of date. `shadow_judge` is set for a report about one, and NULL for other kinds.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="label_reports")
    kind = models.CharField(max_length=20, choices=ReportKind)
    shadow_judge = models.ForeignKey(
        ShadowJudge, models.CASCADE, null=True, blank=True, related_name="reports"
    )
    measure = models.CharField(max_length=80)
    state = models.CharField(max_length=64)
    computed_at = models.DateTimeField(auto_now=True)
    # Last: SQLite reads all of it to get at a column behind it.
    payload = JSONText()

    class Meta:
        ordering = ["collection", "kind", "measure"]
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "kind", "measure"],
                condition=Q(shadow_judge=None),
                name="label_report_once",
            ),
            models.UniqueConstraint(
                fields=["shadow_judge", "measure"], name="label_report_once_per_shadow_judge"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["label-effects", "cited-papers"], shadow_judge=None)
                | Q(kind="shadow-judge", shadow_judge__isnull=False),
                name="label_report_has_its_subject",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.collection} ({self.measure})"
