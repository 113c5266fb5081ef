"""Pools: which documents are judged for a query, who found each, and at what rank."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from accounts.models import Collection
from corpus.models import Document, Query
from retrieval.models import Run


class PoolSetQuerySet(models.QuerySet["PoolSet"]):
    def frozen(self) -> PoolSetQuerySet:
        return self.filter(frozen_at__isnull=False)

    def drafts(self) -> PoolSetQuerySet:
        return self.filter(frozen_at=None)


class PoolSet(models.Model):
    """One build of pools over some queries: a draft to look at, then frozen.

    `plan` is what it was drawn by (pooling/building.py); `manifest` is written when it is frozen and draws it again
    (pooling/manifest.py). Pools that were imported have no plan, and a manifest if they came with one. Round 1 is the
    first; later rounds add to frozen pools.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="pool_sets")
    round = models.PositiveSmallIntegerField(default=1)
    plan = models.JSONField()
    manifest = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    frozen_at = models.DateTimeField(null=True, blank=True)

    objects = PoolSetQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"round {self.round} of {self.collection}"

    @property
    def is_frozen(self) -> bool:
        return self.frozen_at is not None


class Pool(models.Model):
    """A query's candidates. `shortfall` is what a source could not contribute: {"bm25": 2}."""

    pool_set = models.ForeignKey(PoolSet, models.CASCADE, related_name="pools")
    query = models.ForeignKey(Query, models.PROTECT, related_name="pools")
    source_order = models.JSONField(default=list)
    shortfall = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pool_set", "query"], name="pool_once_in_a_set")]

    def __str__(self) -> str:
        return f"pool of {self.query}"

    @property
    def short(self) -> str:
        """bm25 2, tfidf 1"""
        return ", ".join(f"{source} {missing}" for source, missing in self.shortfall.items())


class Candidate(models.Model):
    """A pooled document. `source` drew it (a run's name, or a forced source's such as "cited")."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="candidates")
    document = models.ForeignKey(Document, models.PROTECT, related_name="candidates")
    position = models.PositiveIntegerField(help_text="In the order of the draw, from 1.")
    source = models.CharField(max_length=100)

    class Meta:
        ordering = ("position",)
        constraints = [
            models.UniqueConstraint(fields=["pool", "document"], name="candidate_once_in_a_pool"),
            models.UniqueConstraint(fields=["pool", "position"], name="position_once_in_a_pool"),
        ]

    def __str__(self) -> str:
        return f"{self.document} in {self.pool}"


class Contribution(models.Model):
    """A run that ranks a candidate, whether or not it drew it. Published pools name their sources without ranks."""

    candidate = models.ForeignKey(Candidate, models.CASCADE, related_name="contributions")
    run = models.ForeignKey(Run, models.PROTECT, related_name="contributions")
    rank = models.PositiveIntegerField(null=True)
    score = models.FloatField(null=True)
    drawn = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["candidate", "run"], name="contribution_once")]

    def __str__(self) -> str:
        return f"{self.candidate} at {self.rank} of {self.run}"
