"""Published versions, when they are public, their errata, and what the gate keeps of pairs.

The triggers of `rules.py` keep every release as it is, and write the rows of the gate.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models

from accounts.models import Collection
from annotation.models import Pair
from corpus.models import Query
from pooling.models import Candidate
from release.datasheets.models import AnnotatorProfile, DatasheetAnswer, ProfileThreshold
from release.errata.models import Erratum
from release.importing.models import ReleaseImport
from release.label_samples.models import LabelSample, LabelStratum, SampledLabel

__all__ = [
    "AnnotatorProfile",
    "DatasheetAnswer",
    "DuplicateCandidate",
    "Erratum",
    "LabelSample",
    "LabelStratum",
    "ProfileThreshold",
    "PublicPeriod",
    "Release",
    "ReleaseException",
    "ReleaseImport",
    "RelevantCount",
    "SampledLabel",
    "UnsourcedPair",
]


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


class ReleaseException(models.Model):
    """A finding of the gate that a version was published against: who accepted it, and why.

    The reason is in the manifest, too. The person is here only.
    """

    release = models.ForeignKey(Release, models.PROTECT, related_name="exceptions")
    check_name = models.CharField(max_length=40)
    reason = models.CharField(max_length=500)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Null for a version that was published by a command.",
    )

    class Meta:
        ordering = ["release", "check_name"]
        constraints = [
            models.UniqueConstraint(
                fields=["release", "check_name"], name="release_exception_once"
            ),
            models.CheckConstraint(
                condition=~models.Q(reason=""), name="release_exception_has_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.check_name} in {self.release}"


class PublicPeriodQuerySet(models.QuerySet["PublicPeriod"]):
    def current(self) -> PublicPeriodQuerySet:
        return self.filter(ended_at=None)

    def for_pages(self) -> PublicPeriodQuerySet:
        """With the release, but without its manifest, which is long."""
        return self.select_related("release__collection").defer(
            "release__manifest", "release__summary"
        )


class PublicPeriod(models.Model):
    """A time in which everybody may read a release and download it without an account.

    Rows are kept, so they tell who made a release public or private and when. Triggers allow one
    change only: the end of the period.
    """

    release = models.ForeignKey(Release, models.PROTECT, related_name="public_periods")
    page = models.JSONField(
        help_text="The content of the public page, copied from the bundle, which is long."
    )
    began_at = models.DateTimeField(auto_now_add=True)
    began_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = PublicPeriodQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["release"],
                condition=models.Q(ended_at=None),
                name="public_period_current_once",
            ),
            models.CheckConstraint(
                condition=models.Q(ended_at=None, ended_by=None)
                | models.Q(ended_at__isnull=False, ended_at__gte=models.F("began_at")),
                name="public_period_ends_after_it_begins",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.release} public since {self.began_at:%Y-%m-%d}"


class UnsourcedPair(models.Model):
    """A pair whose candidate had no contribution when the pair was made. A trigger adds it.

    A frozen pool gets no contributions later, so it stays one.
    """

    pair = models.OneToOneField(
        Pair, models.CASCADE, primary_key=True, related_name="without_source"
    )

    def __str__(self) -> str:
        return f"{self.pair} without a source"


class DuplicateCandidate(models.Model):
    """A candidate to judge with the same text as another candidate in its pool.

    A trigger adds it when the first query of the pool opens. The pool is frozen from then on.
    """

    candidate = models.OneToOneField(
        Candidate, models.CASCADE, primary_key=True, related_name="duplicate"
    )

    def __str__(self) -> str:
        return f"{self.candidate}, a duplicate"


class RelevantCount(models.Model):
    """The number of pairs of a query that both judges call relevant; there may be no row for 0.

    A trigger counts them. `relevant_from` of a collection is fixed once a query is open.
    """

    query = models.OneToOneField(
        Query, models.CASCADE, primary_key=True, related_name="relevant_count"
    )
    agreed = models.IntegerField()

    def __str__(self) -> str:
        return f"relevant documents of {self.query}"
