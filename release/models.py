"""Published versions of a collection. A trigger in the migration keeps every row as it is."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from accounts.models import Collection


class Release(models.Model):
    """An immutable, versioned, checksummed bundle; the zip lies in the release folder."""

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="releases")
    version = models.CharField(max_length=40)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField(help_text="Bytes of the zip.")
    manifest = models.JSONField()
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
