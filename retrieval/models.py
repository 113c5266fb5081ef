"""Runs: one retriever's ranked lists, made here or imported."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils import timezone

from accounts.models import Collection
from corpus.models import Query

PUBLISHED = "published"  # the kind of a source that published pools name, at first without lists of its own
VECTORS = "vectors"  # the kind of a run that ranks by vectors that were uploaded
QRELS, JUDGMENTS = "qrels", "judgments"  # sources of pools that came judged from a file: no run has such a name
BASELINE = "baseline"  # the kind of a run that re-ranks judged pools: a system, and no source of pools


class ArrayLength(models.Func):
    """The number of items of a JSON array, without reading them."""

    function = "jsonb_array_length"
    output_field = models.IntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, function="json_array_length", **context)


class RunQuerySet(models.QuerySet["Run"]):
    def with_sizes(self) -> RunQuerySet:
        """Each with the number of queries that it has a list for, and the mean length of its lists."""
        return self.annotate(ranked_queries=models.Count("lists"), mean_length=models.Avg(ArrayLength("lists__docnos")))


class Run(models.Model):
    """`kind` is a retriever's name (retrieval/retrievers), "file", "ranking", VECTORS, PUBLISHED or
    BASELINE.

    `settings` say what it was made from: a file's name; or the documents that were ranked, those of the corpus then,
    and the library.

    `skipped` is what was left out, by its reason: {"documents outside the corpus": {"number": 3, "named": ["d7"]}}.
    `warnings` are sentences.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="runs")
    name = models.CharField(max_length=100, help_text="As it appears in pools, run files and tables.")
    kind = models.CharField(max_length=40)
    settings = models.JSONField(default=dict, blank=True)
    depth = models.PositiveIntegerField(default=1000)
    skipped = models.JSONField(default=dict, blank=True)
    warnings = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = RunQuerySet.as_manager()

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
