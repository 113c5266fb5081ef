"""Computed agreement reports. A report covers one state of the judgments and never changes."""

from __future__ import annotations

from django.db import models

from accounts.models import Collection
from agreement.summary import STATISTICS_VERSION
from reports.models import JSONText


class MissingPolicy(models.TextChoices):
    EXCLUDE = "exclude", "left out"
    ZERO = "zero", "counted as 0"


class ReportQuerySet(models.QuerySet["Report"]):
    def current(self) -> ReportQuerySet:
        """The reports of this version of the statistics; reports of other versions are outdated."""
        return self.filter(statistics=STATISTICS_VERSION)


class Report(models.Model):
    """`payload` is what `compute_agreement --format json` prints; `state` is a digest of its input.

    `state` covers the judged pairs and the version of the statistics. A report of another version
    stays in the table, because reports are never edited, and `current` leaves it out.

    `revision` and `checked_at` say at which revision of the judgments the report was last found to
    be of them, and when. They are the only columns that change: after a judgment is revised and
    revised back, the report of before is the present one again.

    `confusion` holds the matrices of the page by facet, as `confusion_dict` makes them.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="reports")
    missing = models.CharField(max_length=10, choices=MissingPolicy)
    # As in the payload, which no query should open: it is megabytes long.
    statistics = models.PositiveSmallIntegerField(null=True)
    state = models.CharField(max_length=64)
    revision = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    checked_at = models.DateTimeField(auto_now_add=True)
    confusion = models.JSONField(default=dict, blank=True)
    # Last: SQLite reads all of it to get at a column behind it.
    payload = JSONText()

    objects = ReportQuerySet.as_manager()

    class Meta:
        ordering = ["-checked_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "missing", "state"], name="report_once_per_state"
            ),
            models.CheckConstraint(
                condition=models.Q(missing__in=MissingPolicy.values), name="report_missing_known"
            ),
        ]
        indexes = [
            models.Index(
                fields=["collection", "missing", "statistics", "-checked_at", "-id"],
                name="report_latest",
            )
        ]

    def __str__(self) -> str:
        return f"agreement of {self.collection} ({self.missing})"
