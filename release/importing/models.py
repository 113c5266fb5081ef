"""The origin of a collection made from a release, with the judgment facts that only it has."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from accounts.models import Collection


class ReleaseImport(models.Model):
    """The release that a collection was made from.

    `first_day` and `last_day` are those of the judgments of the release, if it states them. The
    imported judgments were written on the day of the import. `annotators` are the groups of people
    that the release describes: the people themselves are not here. `owner_annotators` is how many
    of those who judged owned the collection meanwhile.
    """

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="release_import")
    version = models.CharField(max_length=40)
    sha256 = models.CharField(max_length=64, help_text="Of the release's manifest.")
    first_day = models.DateField(null=True, blank=True)
    last_day = models.DateField(null=True, blank=True)
    annotators = models.JSONField(default=list)
    owner_annotators = models.PositiveSmallIntegerField(default=0)
    consent = models.JSONField(
        null=True, blank=True, help_text="The counts of consent that the release states, if any."
    )
    imported_at = models.DateTimeField(
        auto_now_add=True, help_text="After the judgments of the release were written."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(first_day=None, last_day=None)
                | Q(first_day__isnull=False, last_day__isnull=False, first_day__lte=F("last_day")),
                name="release_import_days_in_order",
            )
        ]

    def __str__(self) -> str:
        return f"import of version {self.version} as {self.collection}"
