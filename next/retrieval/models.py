"""Runs: one retriever's ranked lists, made here or imported."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from accounts.models import Collection
from corpus.models import Query


class Run(models.Model):
    """`kind` is a retriever's name (retrieval/retrievers) or "file". `settings` are its parameters.

    `skipped` counts what an imported file held beside ranked documents: {"the query paper": 3, …}.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="runs")
    name = models.CharField(max_length=100, help_text="As it appears in pools, run files and tables.")
    kind = models.CharField(max_length=40)
    settings = models.JSONField(default=dict, blank=True)
    depth = models.PositiveIntegerField(default=1000)
    skipped = models.JSONField(default=dict, blank=True)
    warnings = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("name",)
        constraints = [models.UniqueConstraint(fields=["collection", "name"], name="run_once_in_a_collection")]

    def __str__(self) -> str:
        return self.name


class RankedList(models.Model):
    """A run's documents for a query, best first: by score descending, then docno descending, as trec_eval does."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="lists")
    query = models.ForeignKey(Query, models.CASCADE, related_name="lists")
    docnos = models.JSONField()
    scores = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "query"], name="list_once_in_a_run")]

    def __str__(self) -> str:
        return f"{self.run} of {self.query}"
