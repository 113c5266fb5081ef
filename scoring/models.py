"""Systems, their lists for queries, their stored scores, and the folds of queries."""

from __future__ import annotations

from typing import Any

from django.db import models

from accounts.models import Collection
from corpus.models import Query
from reports.models import JSONText
from scoring.folds import MOST as MOST_FOLDS


class SystemKind(models.TextChoices):
    RUN = "run", "run"
    FILE = "file", "file"
    BASELINE = "baseline", "baseline"


class System(models.Model):
    """A source of ranked lists that are scored.

    A system of kind `run` has the lists of the collection's present run of that name. Systems of
    the other kinds have lists of their own, for queries instead of query papers.

    `repetition_of` is the name that repetitions of one system share, such as its training with
    several seeds. `sha256` covers the lists, so that stored scores of other lists are noticed.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="systems")
    name = models.CharField(max_length=60)
    kind = models.CharField(max_length=10, choices=SystemKind)
    repetition_of = models.CharField(max_length=60, blank=True)
    parameters = models.JSONField(default=dict, blank=True)
    report = models.JSONField(default=dict, blank=True, help_text="What was left out, and why.")
    sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="system_name_once"),
            models.CheckConstraint(
                condition=models.Q(kind__in=SystemKind.values), name="system_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class SystemRanking(models.Model):
    """A ranked list of a system: `docnos[i]` has rank i + 1 and score `scores[i]`."""

    # No index of its own, because the constraint's index begins with this column.
    system = models.ForeignKey(System, models.CASCADE, related_name="rankings", db_index=False)
    query = models.ForeignKey(Query, models.CASCADE, related_name="system_rankings")
    docnos = models.JSONField()
    scores = models.JSONField()

    class Meta:
        ordering = ["system", "query"]
        constraints = [
            models.UniqueConstraint(
                fields=["system", "query"], name="system_ranking_once_per_query"
            )
        ]

    def __str__(self) -> str:
        return f"{self.system} for {self.query}"


class Scores(models.Model):
    """The stored scores of a system, under one source of labels and one profile of measures.

    `state` is a digest of everything they were computed from: the labels, the folds, the lists and
    the version of the computation. `summary` has the leaderboard's rows, and `values` the value of
    each measure for each query, as `scoring.score_tables` writes them.
    """

    system = models.ForeignKey(System, models.CASCADE, related_name="scores", db_index=False)
    source = models.CharField(max_length=60, default="final")
    profile = models.CharField(max_length=20)
    state = models.CharField(max_length=64)
    computed_at = models.DateTimeField(auto_now=True)
    summary: Any = models.JSONField()
    # Last: SQLite reads all of it to get at a column behind it.
    values = JSONText()

    class Meta:
        ordering = ["system", "source", "profile"]
        verbose_name_plural = "scores"
        constraints = [
            models.UniqueConstraint(
                fields=["system", "source", "profile"], name="scores_once_per_source_and_profile"
            )
        ]

    def __str__(self) -> str:
        return f"{self.system} by {self.profile} ({self.source})"


class FoldPlan(models.Model):
    """The origin of a collection's folds; without a row, two are made from the seed.

    Imported folds are rows of `Fold`. `made` is the number of folds made from the seed otherwise: 0
    for none.
    """

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="fold_plan")
    made = models.PositiveSmallIntegerField(default=0)
    imported_from = models.CharField(max_length=200, blank=True, help_text="The name of the file.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(imported_from="") | models.Q(made=0),
                name="folds_are_imported_or_made",
            ),
            models.CheckConstraint(
                condition=models.Q(made__lte=MOST_FOLDS), name="made_folds_are_not_too_many"
            ),
        ]

    def __str__(self) -> str:
        return f"folds of {self.collection}"


class Fold(models.Model):
    """The fold that tests a query, of imported folds; 0 for a query to develop with only."""

    query = models.OneToOneField(Query, models.CASCADE, related_name="fold")
    number = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["number", "query"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(number__lte=MOST_FOLDS), name="fold_number_is_not_too_high"
            )
        ]

    def __str__(self) -> str:
        return f"{self.query} in fold {self.number}"


class PublishedLabelSet(models.Model):
    """The labels that a benchmark was published with. They never count as judged here.

    `origin` says who or what gave them, such as citations, an expert, or a language model.
    """

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="published_labels")
    benchmark = models.CharField(max_length=40)
    origin = models.CharField(max_length=200)
    files = models.JSONField(help_text="The SHA-256 of each file by its name.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(origin=""), name="published_labels_have_an_origin"
            )
        ]

    def __str__(self) -> str:
        return f"labels of {self.benchmark}"


class PublishedLabels(models.Model):
    """The published labels of one query: `grades` has the grade of each labelled document."""

    query = models.OneToOneField(Query, models.PROTECT, related_name="published_labels")
    grades: Any = models.JSONField(help_text="Grades from 0 by docno.")

    def __str__(self) -> str:
        return f"published labels of {self.query}"
