"""Runs: one retriever's ranked lists for the query papers."""

from __future__ import annotations

from django.db import models

from accounts.models import Collection
from corpus.models import QueryPaper

IMPORTED = frozenset({"file", "embeddings"})  # kinds of runs that no built-in retriever can make


class CurrentRuns(models.Manager["Run"]):
    """The runs that are not retired."""

    def get_queryset(self) -> models.QuerySet[Run]:
        return super().get_queryset().filter(retired_at=None)


class Run(models.Model):
    """A retriever's ranked lists.

    A retriever that runs again, after the corpus or the queries changed, takes over the name of its
    previous run. The previous run is retired if pools were built from it. It stays for these pools
    and for releases, and no page lists it.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="runs")
    name = models.CharField(max_length=60)
    kind = models.CharField(max_length=30, help_text="The built-in retriever, or `file`.")
    parameters = models.JSONField(default=dict)
    depth = models.PositiveIntegerField(null=True, blank=True)
    sha256 = models.CharField(max_length=64, help_text="Of the ranked lists in canonical form.")
    report = models.JSONField(default=dict, help_text="What was skipped on the way in, and why.")
    created_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    objects = CurrentRuns()
    with_retired = models.Manager["Run"]()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "name"],
                condition=models.Q(retired_at=None),
                name="run_name_once",
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def holds_judgments(self) -> bool:
        """True if the run was imported from qrels: known positives, not a ranking."""
        return bool(self.parameters.get("qrels"))

    @property
    def is_imported(self) -> bool:
        """True if the run was imported. Then it is never out of date, whatever its name."""
        return self.kind in IMPORTED

    def is_referred_to(self) -> bool:
        """Return whether rows of higher apps, such as builds of pools, refer to this run."""
        above = (relation for relation in self._meta.related_objects if relation.name != "rankings")
        return any(
            relation.related_model._default_manager.filter(**{relation.field.name: self}).exists()
            for relation in above
        )


class Ranking(models.Model):
    """A ranked list of a run: `docnos[i]` has rank i + 1 and score `scores[i]`."""

    # No index of its own, because the constraint's index begins with this column.
    run = models.ForeignKey(Run, models.CASCADE, related_name="rankings", db_index=False)
    query_paper = models.ForeignKey(QueryPaper, models.CASCADE, related_name="rankings")
    docnos = models.JSONField()
    scores = models.JSONField()

    class Meta:
        ordering = ["run", "query_paper"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "query_paper"], name="ranking_once_per_query_paper"
            )
        ]

    def __str__(self) -> str:
        return f"{self.run} for {self.query_paper}"
