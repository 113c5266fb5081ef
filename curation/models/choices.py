"""A choice of papers and facets that was computed, and can be applied as it was shown."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from accounts.models import Collection
from curation.models.samples import Sample


class QueryChoice(models.Model):
    """Papers chosen from a sample, each under its facets.

    `plan` is a `ChoicePlan`, `result` a `ChoiceResult`, both as JSON. `digest` is that of the plan,
    of what it was computed from (`inputs`), and of the papers. The same choice is one row.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="query_choices")
    sample = models.ForeignKey(Sample, models.CASCADE, related_name="query_choices")
    plan = models.JSONField()
    inputs = models.CharField(max_length=64, help_text="SHA-256 of the screened papers.")
    result = models.JSONField()
    digest = models.CharField(max_length=64)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    applied_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "digest"], name="query_choice_once"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The start of the digest, so that it is the same on every machine."""
        return self.digest[:12]
