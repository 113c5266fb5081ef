"""Computed agreement reports. A report is of one state of the judgments and never changes."""

from __future__ import annotations

from django.db import models

from accounts.models import Collection
from agreement.summary import STATISTICS_VERSION


class MissingPolicy(models.TextChoices):
    EXCLUDE = "exclude", "left out"
    ZERO = "zero", "counted as 0"


class ReportQuerySet(models.QuerySet["Report"]):
    def current(self) -> ReportQuerySet:
        """The reports of this version of the statistics; others must not be read."""
        return self.filter(payload__statistics=STATISTICS_VERSION)


class Report(models.Model):
    """`payload` is what `compute_agreement --format json` prints; `state` digests what it is of.

    `state` covers the judged pairs and the version of the statistics. A report of another version
    stays in the table, because reports are never edited, and `current` leaves it out.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="reports")
    missing = models.CharField(max_length=10, choices=MissingPolicy)
    state = models.CharField(max_length=64)
    payload = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ReportQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "missing", "state"], name="report_once_per_state"
            ),
            models.CheckConstraint(
                condition=models.Q(missing__in=MissingPolicy.values), name="report_missing_known"
            ),
        ]

    def __str__(self) -> str:
        return f"agreement of {self.collection} ({self.missing})"
