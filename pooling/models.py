"""Runs and the pools drawn from them, with every candidate's provenance."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from accounts.models import Collection
from corpus.models import Document, QueryPaper
from pooling.strategies import STRATEGIES

IMPORTED = frozenset({"file", "embeddings"})  # kinds of runs that no retriever here can make


class CurrentRuns(models.Manager["Run"]):
    """The runs that have their name now."""

    def get_queryset(self) -> models.QuerySet[Run]:
        return super().get_queryset().filter(retired_at=None)


class Run(models.Model):
    """One retriever's ranked lists.

    A retriever that runs again, after the corpus or the queries changed, takes the name of its
    earlier run. That run is retired if pools were drawn from it: it stays for these pools and for
    releases, and no page lists it.
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
        """Whether it came from qrels: known positives, and nobody's ranking."""
        return bool(self.parameters.get("qrels"))

    @property
    def is_imported(self) -> bool:
        """Came from outside, so it is never out of date, whatever its name has come to mean."""
        return self.kind in IMPORTED


class Ranking(models.Model):
    """One ranked list of a run: `docnos[i]` has rank i + 1 and score `scores[i]`."""

    # No index of its own: that of a constraint begins with it.
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


class PoolBuild(models.Model):
    """One building of pools: everything needed to build them again, byte for byte."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="pool_builds")
    manifest = models.JSONField()
    built_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"pools of {self.collection}, {self.created_at:%Y-%m-%d}"


class BuildRun(models.Model):
    """A run that a build used, with the digest it had then.

    `run` becomes NULL when the run is removed while all pools of the build are drafts. Such pools
    can no longer be frozen. A run that a frozen pool was drawn from stays.
    """

    class Use(models.TextChoices):
        DRAWN = "drawn", "drawn from"
        FORCED = "forced", "taken whole"
        EXCLUDED = "excluded", "left out"

    # No index of its own: that of a constraint begins with it.
    build = models.ForeignKey(PoolBuild, models.CASCADE, related_name="build_runs", db_index=False)
    run = models.ForeignKey(Run, models.PROTECT, null=True, blank=True, related_name="build_runs")
    name = models.CharField(max_length=60)
    use = models.CharField(max_length=10, choices=Use)
    sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ["build", "name"]
        constraints = [
            models.UniqueConstraint(fields=["build", "name"], name="build_run_once"),
            models.CheckConstraint(
                condition=models.Q(use__in=["drawn", "forced", "excluded"]),
                name="build_run_use_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} in {self.build}"


class DrawnList(models.Model):
    """The documents that a building drew for a query paper; it stays when the pool is replaced."""

    # No index of its own: that of a constraint begins with it.
    build = models.ForeignKey(PoolBuild, models.CASCADE, related_name="drawn_lists", db_index=False)
    query_paper = models.CharField(max_length=200, help_text="Its docno.")
    documents = models.JSONField(help_text="Docnos in the order drawn.")

    class Meta:
        ordering = ["build", "query_paper"]
        constraints = [
            models.UniqueConstraint(fields=["build", "query_paper"], name="drawn_list_once")
        ]

    def __str__(self) -> str:
        return f"{self.query_paper} in {self.build}"


class PoolQuerySet(models.QuerySet["Pool"]):
    def frozen(self) -> PoolQuerySet:
        return self.filter(frozen_at__isnull=False)

    def sampled(self) -> PoolQuerySet:
        """Pools that are a sample of a deep pool."""
        sampling = [name for name, strategy in STRATEGIES.items() if strategy.samples]
        return self.filter(build__manifest__strategy__in=sampling)

    def holding(self, document: Document) -> PoolQuerySet:
        """Pools of the document, or with it as a candidate."""
        return self.filter(
            models.Q(query_paper__document=document) | models.Q(candidates__document=document)
        )

    def drafts(self) -> PoolQuerySet:
        return self.filter(frozen_at=None)


class Pool(models.Model):
    """The candidates of one query paper. A draft is replaced by the next building; frozen stays."""

    query_paper = models.OneToOneField(QueryPaper, models.PROTECT, related_name="pool")
    build = models.ForeignKey(PoolBuild, models.PROTECT, related_name="pools")
    retriever_order = models.JSONField(default=list)
    shortfall = models.JSONField(default=dict, help_text="Source to documents it could not give.")
    depth = models.JSONField(default=dict, help_text="Source to the deepest rank it drew from.")
    frozen_at = models.DateTimeField(null=True, blank=True)

    objects = PoolQuerySet.as_manager()

    class Meta:
        ordering = ["query_paper__document__docno"]

    def __str__(self) -> str:
        return f"pool of {self.query_paper}"

    @property
    def is_frozen(self) -> bool:
        return self.frozen_at is not None


class Exclusion(models.TextChoices):
    """Why a candidate is not judged. Rows and releases hold the code; the words are for pages."""

    NO_TEXT = "no-text", "no text in the corpus"
    NEVER_JUDGED = "never-judged", "pooled but never judged in the imported release"


class CandidateQuerySet(models.QuerySet["Candidate"]):
    def to_judge(self) -> CandidateQuerySet:
        return self.filter(excluded="")


class Candidate(models.Model):
    """A document in a pool. `position` counts from 1 in the order the documents were drawn."""

    # No index of its own: that of a constraint begins with it.
    pool = models.ForeignKey(Pool, models.CASCADE, related_name="candidates", db_index=False)
    document = models.ForeignKey(Document, models.PROTECT, related_name="candidacies")
    position = models.PositiveIntegerField()
    excluded = models.CharField(max_length=200, blank=True, help_text="Why it is not judged.")
    inclusion = models.FloatField(
        null=True,
        blank=True,
        help_text="For a sample: the probability with which it came to be in the pool.",
    )

    objects = CandidateQuerySet.as_manager()

    class Meta:
        ordering = ["pool", "position"]
        constraints = [
            models.UniqueConstraint(fields=["pool", "document"], name="candidate_document_once"),
            models.UniqueConstraint(fields=["pool", "position"], name="candidate_position_once"),
        ]

    def __str__(self) -> str:
        return f"{self.document} in {self.pool}"

    @property
    def why_excluded(self) -> str:
        """The words for `excluded`; "" for a candidate that is judged."""
        return dict(Exclusion.choices).get(self.excluded, self.excluded)


class Contribution(models.Model):
    """That a source has a candidate: at which rank and score, and whether it drew it.

    `rank` counts from 1; it is NULL for sources without ranks (forced ones, imported pools).
    """

    # No index of its own: that of a constraint begins with it.
    candidate = models.ForeignKey(
        Candidate, models.CASCADE, related_name="contributions", db_index=False
    )
    source = models.CharField(max_length=60)
    rank = models.PositiveIntegerField(null=True, blank=True)
    score = models.FloatField(null=True, blank=True)
    drawn = models.BooleanField()

    class Meta:
        ordering = ["candidate", "-drawn", "source"]
        constraints = [
            models.UniqueConstraint(
                fields=["candidate", "source"], name="contribution_source_once"
            ),
            models.UniqueConstraint(
                fields=["candidate"], condition=models.Q(drawn=True), name="contribution_drawn_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source} has {self.candidate}"
