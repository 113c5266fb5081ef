"""Runs and the pools drawn from them, with every candidate's provenance."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models.deletion import Collector

from accounts.models import Collection
from corpus.models import Document, QueryPaper
from pooling.strategies import STRATEGIES
from retrieval.models import Run


def protect_in_frozen_pools(
    collector: Collector,
    field: models.Field[Any, Any],
    rows: models.QuerySet[models.Model],
    using: str,
) -> None:
    """Protect a run that a frozen pool was drawn from; otherwise set the build's run to NULL.

    Draft pools whose run is NULL can no longer be frozen.
    """
    frozen = BuildRun.objects.filter(
        pk__in=[row.pk for row in rows], build__pools__frozen_at__isnull=False
    )
    on_delete = models.PROTECT if frozen.exists() else models.SET_NULL
    on_delete(collector, field, rows, using)


class CompleteBuilds(models.Manager["PoolBuild"]):
    """The builds that are not being written."""

    def get_queryset(self) -> models.QuerySet[PoolBuild]:
        return super().get_queryset().filter(last_part_at=None)


class PoolBuild(models.Model):
    """A build of pools, with a manifest from which they can be rebuilt byte for byte.

    A build is written in parts. Until it is complete, it and its pools are hidden. See
    docs/adr/0019-drafts-in-parts.md.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="pool_builds")
    manifest = models.JSONField()
    built_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    last_part_at = models.DateTimeField(
        null=True, blank=True, help_text="When a part was last written. NULL: it is complete."
    )

    objects = CompleteBuilds()
    with_incomplete = models.Manager["PoolBuild"]()

    class Meta:
        ordering = ["-created_at"]
        indexes = [
            models.Index(
                fields=["last_part_at"],
                condition=models.Q(last_part_at__isnull=False),
                name="pool_build_incomplete",
            )
        ]

    def __str__(self) -> str:
        return f"pools of {self.collection}, {self.created_at:%Y-%m-%d}"


class BuildRun(models.Model):
    """A run that a build used, with the digest it had then.

    `run` becomes NULL when the run is removed while all pools of the build are drafts. Such pools
    can no longer be frozen. The run of a frozen pool cannot be removed.
    """

    class Use(models.TextChoices):
        DRAWN = "drawn", "Drawn"
        FORCED = "forced", "Forced"
        EXCLUDED = "excluded", "Excluded"

    # No index of its own: that of a constraint begins with it.
    build = models.ForeignKey(PoolBuild, models.CASCADE, related_name="build_runs", db_index=False)
    run = models.ForeignKey(
        Run, protect_in_frozen_pools, null=True, blank=True, related_name="build_runs"
    )
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
    """The documents that a build drew for a query paper; kept when the pool is replaced."""

    # No index of its own: that of a constraint begins with it.
    build = models.ForeignKey(PoolBuild, models.CASCADE, related_name="drawn_lists", db_index=False)
    query_paper = models.CharField(max_length=200, help_text="The query paper's docno.")
    documents = models.JSONField(help_text="Docnos in the order they were drawn.")

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

    def drafts(self) -> PoolQuerySet:
        return self.filter(frozen_at=None)

    def hidden(self) -> PoolQuerySet:
        """Pools that are being written, and drafts that were replaced."""
        return self.filter(query_paper=None)


class ShownPools(models.Manager["Pool"]):
    """The pools that are not hidden."""

    def get_queryset(self) -> PoolQuerySet:
        return PoolQuerySet(self.model, using=self._db).filter(query_paper__isnull=False)

    def frozen(self) -> PoolQuerySet:
        return self.get_queryset().frozen()

    def drafts(self) -> PoolQuerySet:
        return self.get_queryset().drafts()


class Pool(models.Model):
    """The candidates of one query paper. The next build replaces a draft, never a frozen pool.

    A hidden pool has no query paper, so nothing that looks for the pools of a collection finds it.
    `drawn`, `size`, `to_judge`, `forced`, `shortfall_sum` and `deepest` sum up the rows written
    with the pool, which never change. `size` and `to_judge` are of all candidates: a trigger adds
    those of later pool rounds to them.
    """

    # Typed as if it were never NULL, because only the code that writes pools meets hidden ones.
    query_paper: models.OneToOneField[QueryPaper | None, QueryPaper] = models.OneToOneField(  # type: ignore[misc]
        QueryPaper, models.PROTECT, null=True, blank=True, related_name="pool"
    )
    drawn_for = models.BigIntegerField(
        null=True, blank=True, help_text="The query paper's id while the build is being written."
    )
    build = models.ForeignKey(PoolBuild, models.PROTECT, related_name="pools")
    retriever_order = models.JSONField(default=list)
    shortfall = models.JSONField(default=dict, help_text="How many documents each source lacked.")
    depth = models.JSONField(default=dict, help_text="The deepest rank each source drew from.")
    drawn = models.JSONField(
        default=dict,
        help_text="How many documents each source drew, forced ones too.",
    )
    size = models.PositiveIntegerField(default=0, help_text="Candidates.")
    to_judge = models.PositiveIntegerField(default=0, help_text="Candidates that are judged.")
    forced = models.PositiveIntegerField(default=0, help_text="Candidates of forced sources.")
    shortfall_sum = models.PositiveIntegerField(default=0, help_text="The sum of `shortfall`.")
    deepest = models.PositiveIntegerField(
        null=True, blank=True, help_text="The maximum of `depth`; NULL without ranks."
    )
    frozen_at = models.DateTimeField(null=True, blank=True)

    objects = ShownPools()
    with_hidden = PoolQuerySet.as_manager()

    class Meta:
        ordering = ["query_paper__name"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(frozen_at=None) | models.Q(query_paper__isnull=False),
                name="pool_frozen_is_not_hidden",
            )
        ]
        # For the trigger that keeps the drawn lists of frozen pools. Without it, each list that is
        # deleted goes through all deleted pools of its build.
        indexes = [
            models.Index(
                fields=["build", "frozen_at"],
                condition=models.Q(frozen_at__isnull=False),
                name="frozen_pool_by_build",
            )
        ]

    def __str__(self) -> str:
        return f"pool of {self.query_paper}"

    @property
    def is_frozen(self) -> bool:
        return self.frozen_at is not None


class RoundChoice(models.TextChoices):
    """The choice of the documents that a pool round adds, among those not pooled yet."""

    ALL_UNJUDGED = "all-unjudged", "All unjudged documents to depth k"
    DECISIVE = "decisive", "Only those that can change a conclusion"
    SAMPLE = "sample", "A stratified sample"


class PoolRound(models.Model):
    """A numbered addition to frozen pools. The first round is the builds, and has no row.

    It is written and frozen in one transaction, and then never changes. No annotator or
    adjudicator is shown its number or reason. See docs/adr/0061-pool-rounds.md.
    """

    # No index of its own: that of a constraint begins with it.
    collection = models.ForeignKey(
        Collection, models.CASCADE, related_name="pool_rounds", db_index=False
    )
    number = models.PositiveSmallIntegerField(help_text="2, 3, … The builds are round 1.")
    reason = models.TextField(help_text="The manifest publishes it.")
    choice = models.CharField(max_length=20, choices=RoundChoice)
    depth = models.PositiveIntegerField(help_text="k: the last rank that is read of each list.")
    seed = models.CharField(max_length=200)
    parameters = models.JSONField(default=dict, help_text="Of a sample: `bounds` and `rates`.")
    manifest = models.JSONField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    made_at = models.DateTimeField(auto_now_add=True)
    frozen_at = models.DateTimeField(null=True, blank=True, help_text="NULL: it is being written.")

    class Meta:
        ordering = ["collection", "number"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "number"], name="pool_round_number_once"),
            models.CheckConstraint(condition=models.Q(number__gte=2), name="pool_round_from_2"),
            models.CheckConstraint(
                condition=models.Q(choice__in=RoundChoice.values), name="pool_round_choice_known"
            ),
            models.CheckConstraint(condition=~models.Q(reason=""), name="pool_round_has_reason"),
            models.CheckConstraint(
                condition=models.Q(depth__gte=1), name="pool_round_depth_from_1"
            ),
        ]

    def __str__(self) -> str:
        return f"round {self.number} of the pools of {self.collection}"


class RoundList(models.Model):
    """A ranked list that a pool round was chosen from, to the round's depth.

    `topic` is the query paper, or one of its queries where the system has a list for each of them.
    `run` is the name of the run or system, which may be replaced later; this copy stays.
    """

    # No index of its own: that of a constraint begins with it.
    pool_round = models.ForeignKey(PoolRound, models.CASCADE, related_name="lists", db_index=False)
    run = models.CharField(max_length=60)
    query_paper = models.CharField(max_length=200, help_text="The query paper's docno.")
    topic = models.CharField(max_length=200)
    docnos = models.JSONField()
    scores = models.JSONField()

    class Meta:
        ordering = ["pool_round", "query_paper", "run", "topic"]
        constraints = [
            models.UniqueConstraint(fields=["pool_round", "run", "topic"], name="round_list_once")
        ]

    def __str__(self) -> str:
        return f"{self.run} for {self.topic} in {self.pool_round}"


class ExclusionReason(models.TextChoices):
    """A reason why a candidate is not judged. Rows and releases have its code, pages its label."""

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
    excluded = models.CharField(
        max_length=200, blank=True, help_text="Why it is not judged, as a code."
    )
    inclusion = models.FloatField(
        null=True,
        blank=True,
        help_text="In a sample: the probability that the pool includes this document.",
    )
    round = models.PositiveSmallIntegerField(
        default=1, db_default=1, help_text="The pool round that added it. The builds are round 1."
    )

    objects = CandidateQuerySet.as_manager()

    class Meta:
        ordering = ["pool", "position"]
        constraints = [
            models.UniqueConstraint(fields=["pool", "document"], name="candidate_document_once"),
            models.UniqueConstraint(fields=["pool", "position"], name="candidate_position_once"),
            models.CheckConstraint(condition=models.Q(round__gte=1), name="candidate_round_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.document} in {self.pool}"

    @property
    def exclusion_label(self) -> str:
        """The label of `excluded`; "" for a candidate that is judged."""
        return dict(ExclusionReason.choices).get(self.excluded, self.excluded)


class Contribution(models.Model):
    """A source that has the candidate, with rank and score, and whether it drew the candidate.

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


class LastPlan(models.Model):
    """The plan that was last built or calculated on the page "Plan the pools", as it was typed.

    It has the form's fields and not a `PoolPlan`, because the page opens with all that was typed:
    the cost of an hour and the parameters of other strategies, too.
    """

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="last_plan")
    fields = models.JSONField(help_text="The texts that were sent, by field of the form.")
    saved_at = models.DateTimeField(auto_now=True)
    saved_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)

    def __str__(self) -> str:
        return f"the last plan of {self.collection}"


class SavedPlan(models.Model):
    """A plan of the page "Plan the pools" that was saved under a name, as it was typed."""

    # No index of its own, because the constraint's index begins with this column.
    collection = models.ForeignKey(
        Collection, models.CASCADE, related_name="saved_plans", db_index=False
    )
    name = models.CharField(max_length=60)
    fields = models.JSONField(help_text="The texts that were sent, by field of the form.")
    saved_at = models.DateTimeField(auto_now=True)
    saved_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="saved_plan_name_once"),
            models.CheckConstraint(condition=~models.Q(name=""), name="saved_plan_has_name"),
        ]

    def __str__(self) -> str:
        return self.name
