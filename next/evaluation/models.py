"""Sampled copies: a collection made of some pairs of another, to be judged again."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from accounts.models import Collection


class SampledCopy(models.Model):
    """`strata` are what the sample was drawn by ("grade", "facet", "source"), `sizes` the pairs that each stratum has
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
