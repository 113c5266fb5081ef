"""Published versions of a collection, and what the gate keeps of pairs.

Triggers in the migrations keep every release as it is, and add the unsourced pairs.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models

from accounts.models import Collection
from annotation.models import Pair


class Release(models.Model):
    """An immutable, versioned, checksummed bundle; the zip lies in the release folder."""

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="releases")
    version = models.CharField(max_length=40)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField(help_text="Bytes of the zip.")
    manifest = models.JSONField()
    summary = models.JSONField(
        null=True, help_text="What a list of releases shows, without reading manifests or files."
    )
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True
    )
    published_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-published_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "version"], name="release_version_once"),
            models.CheckConstraint(condition=~models.Q(version=""), name="release_has_version"),
        ]

    def __str__(self) -> str:
        return f"{self.collection} {self.version}"


class UnsourcedPair(models.Model):
    """A pair whose candidate had no contribution when the pair was made. A trigger adds it.

    A frozen pool gets no contributions later, so it stays one.
    """

    pair = models.OneToOneField(
        Pair, models.CASCADE, primary_key=True, related_name="without_source"
    )

    def __str__(self) -> str:
        return f"{self.pair} without a source"
