"""Samples of citation labels, each with its strata and pairs.

All rows are below the collection in which the sample is judged, so that they are deleted and
exported with it. Triggers keep them as they were drawn.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.models import Collection
from corpus.models import Query
from pooling.models import Candidate


class LabelSample(models.Model):
    """A sample of the citation labels of `origin`, which people judge in `collection`.

    `facet` is the key of the facet whose queries it is of, and `seed` that of the draw. `origin`
    becomes null when that collection is deleted.
    """

    collection = models.OneToOneField(
        Collection, models.CASCADE, primary_key=True, related_name="label_sample"
    )
    origin = models.ForeignKey(Collection, models.SET_NULL, null=True, related_name="label_samples")
    facet = models.CharField(max_length=30, blank=True)
    seed = models.CharField(max_length=80)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"label sample {self.collection}"


class LabelStratum(models.Model):
    """The labelled pairs of one field and type in the origin, when the sample was drawn."""

    sample = models.ForeignKey(LabelSample, models.CASCADE, related_name="strata")
    field = models.TextField()
    type = models.CharField(max_length=80)
    label = models.PositiveSmallIntegerField(help_text="The citation label of its pairs: 0 or 1.")
    population = models.PositiveIntegerField(help_text="Its pairs in the origin.")
    sampled = models.PositiveIntegerField(help_text="Those that were drawn.")

    class Meta:
        ordering = ["sample", "field", "type"]
        constraints = [
            models.UniqueConstraint(fields=["sample", "field", "type"], name="label_stratum_once"),
            models.CheckConstraint(condition=Q(label__lte=1), name="label_stratum_label_is_0_or_1"),
            models.CheckConstraint(
                condition=Q(sampled__gte=1, sampled__lte=F("population")),
                name="label_stratum_sampled_at_most_its_population",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.field}, {self.type}"


class SampledLabel(models.Model):
    """A drawn pair, as a query and a candidate of the collection in which it is judged."""

    stratum = models.ForeignKey(LabelStratum, models.CASCADE, related_name="sampled_labels")
    query = models.ForeignKey(Query, models.CASCADE, related_name="sampled_labels")
    candidate = models.ForeignKey(Candidate, models.CASCADE, related_name="sampled_labels")

    class Meta:
        ordering = ["stratum", "query", "candidate"]
        constraints = [
            models.UniqueConstraint(fields=["query", "candidate"], name="sampled_label_once"),
        ]

    def __str__(self) -> str:
        return f"{self.candidate} for {self.query}"
