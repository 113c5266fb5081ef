"""Guidelines, openings, pairs, their two slots, what was judged, and labels that were published elsewhere.

A pair knows its state and its final grade. Two services write them, under the pair's lock: `submit_judgment` and
adjudication's `decide`. Everything else is counted from the rows.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Count, Exists, F, OuterRef, Q
from django.utils import timezone

from accounts.models import Collection, User
from corpus.models import Document, Query
from pooling.models import PoolSet


class Reason(models.TextChoices):
    """Why a pair cannot be judged: then the grade is missing, never 0."""

    TEXT = "text", "The text is missing, broken or in another language"
    FACET = "facet", "The query or the candidate says nothing about this facet"
    EXPERTISE = "expertise", "I do not know enough about this subject"
    CONFLICT = "conflict", "I am an author of it, or know its authors"
    OTHER = "other", "Another reason (write a note)"


class Guideline(models.Model):
    """A version of what to judge by, for a facet ("" without facets). Versions are only added.

    `grades[g]` is {"definition": …, "examples": …} of grade g, in Markdown.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="guidelines")
    facet = models.CharField(max_length=50, blank=True)
    version = models.PositiveSmallIntegerField()
    text = models.TextField(blank=True, help_text="How to judge, in Markdown.")
    grades = models.JSONField(default=list)
    change = models.CharField("What changed", max_length=300, blank=True)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("facet", "-version")
        constraints = [
            models.UniqueConstraint(fields=["collection", "facet", "version"], name="guideline_version_once")
        ]

    def __str__(self) -> str:
        return f"guideline of {self.facet or self.collection}, version {self.version}"


class Practice(models.Model):
    """Pairs that several people judge to try a guideline out, or to learn it. Nothing of it counts.

    A pilot has no `gold`. A training has the grades to learn from, {query: {docno: grade}}: whoever has judged all of
    it sees them.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="practices")
    name = models.CharField(max_length=100, help_text="Such as “Pilot 2” or “Training, method”.")
    gold = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-created_at",)
        constraints = [models.UniqueConstraint(fields=["collection", "name"], name="practice_named_once")]

    def __str__(self) -> str:
        return self.name


class Opening(models.Model):
    """A query given to its annotators, and closed when its judgments shall no longer change.

    A query has one for each round of its pools, and one for each practice.
    """

    query = models.ForeignKey(Query, models.PROTECT, related_name="openings")
    pool_set = models.ForeignKey(PoolSet, models.PROTECT, null=True, related_name="openings")
    practice = models.ForeignKey(Practice, models.CASCADE, null=True, related_name="openings")
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["query", "pool_set"], name="opening_once"),
            models.UniqueConstraint(fields=["query", "practice"], name="practice_once_in_a_query"),
            models.CheckConstraint(condition=Q(pool_set=None) ^ Q(practice=None), name="a_pool_or_practice"),
        ]

    def __str__(self) -> str:
        return f"{self.query}, opened"


class PairState(models.TextChoices):
    OPEN = "open", "Open"  # a slot is empty: its judgments stay secret
    AGREED = "agreed", "Agreed"
    CASE = "case", "To adjudicate"
    DECIDED = "decided", "Decided"


class PairQuerySet(models.QuerySet["Pair"]):
    def of(self, collection: Collection) -> PairQuerySet:
        """Those that count."""
        return self.filter(query__collection=collection, counts=True)

    def judged(self) -> PairQuerySet:
        return self.exclude(state=PairState.OPEN)

    def labelled(self) -> PairQuerySet:
        return self.filter(state__in=[PairState.AGREED, PairState.DECIDED])


class Pair(models.Model):
    """A query and a candidate. `token` names it in addresses: a row's number would tell the order of the pool.

    `final` is the label: the agreed grade, or the decision's; NULL while there is none, and where a decision set the
    pair aside. `referred`: an admin sent it to the adjudicators, so equal grades do not settle it.

    A pair that does not count is practice, or was judged before and comes again among those of a later round. It
    stays open for ever, so that whatever reads labels, cases or judgments of settled pairs passes it by.
    """

    opening = models.ForeignKey(Opening, models.PROTECT, related_name="pairs")
    query = models.ForeignKey(Query, models.PROTECT, related_name="pairs")
    document = models.ForeignKey(Document, models.PROTECT, related_name="pairs")
    token = models.CharField(max_length=16)
    state = models.CharField(max_length=8, choices=PairState, default=PairState.OPEN)
    final = models.PositiveSmallIntegerField(null=True)
    referred = models.BooleanField(default=False)
    counts = models.BooleanField(default=True)

    objects = PairQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["query", "document"], condition=Q(counts=True), name="pair_once_in_a_query"
            ),
            models.UniqueConstraint(fields=["opening", "document"], name="pair_once_in_an_opening"),
            models.CheckConstraint(condition=Q(counts=True) | Q(state="open"), name="open_unless_it_counts"),
            models.UniqueConstraint(fields=["query", "token"], name="token_once_in_a_query"),
            models.CheckConstraint(
                condition=Q(final=None) | Q(state__in=["agreed", "decided"]), name="label_only_when_settled"
            ),
            models.CheckConstraint(condition=~Q(state="agreed", final=None), name="agreed_on_a_grade"),
        ]
        indexes = [models.Index(fields=["query", "state"])]

    def __str__(self) -> str:
        return f"{self.query} × {self.document}"


class SlotQuerySet(models.QuerySet["Slot"]):
    def of(self, annotator: User, query: Query) -> SlotQuerySet:
        return self.filter(judge=annotator, pair__query=query).without_past_practice()

    def without_past_practice(self) -> SlotQuerySet:
        """What was closed of practice is over, and in nobody's counts."""
        return self.filter(Q(pair__opening__practice=None) | Q(pair__opening__closed_at=None))

    def live(self) -> SlotQuerySet:
        """Those for pools, also where they do not count."""
        return self.filter(pair__opening__practice=None)

    def in_order(self) -> SlotQuerySet:
        """The annotator's own order; what was put off comes last, in the order it was put off."""
        return self.order_by(F("put_off_at").asc(nulls_first=True), "position")

    def waiting(self) -> SlotQuerySet:
        return self.filter(judgment=None, pair__opening__closed_at=None)

    def with_texts(self) -> SlotQuerySet:
        """With all that `present` reads."""
        return self.select_related("judgment", "pair__opening", "pair__document").defer(
            "pair__document__cites", "pair__document__authors", "pair__document__extra"
        )


class Slot(models.Model):
    """A place for a judgment of a pair: one of two, or in practice one a person. `judgment` is its latest."""

    pair = models.ForeignKey(Pair, models.PROTECT, related_name="slots")
    number = models.PositiveSmallIntegerField()
    judge = models.ForeignKey(User, models.PROTECT, related_name="slots")
    position = models.PositiveIntegerField(help_text="In the judge's own order of the query's pairs, from 1.")
    put_off_at = models.DateTimeField(null=True, blank=True)
    judgment = models.OneToOneField("Judgment", models.PROTECT, null=True, related_name="counts_in")

    objects = SlotQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pair", "number"], name="slot_once_in_a_pair"),
            models.UniqueConstraint(fields=["pair", "judge"], name="judge_once_in_a_pair"),
        ]
        indexes = [models.Index(fields=["judge", "judgment"])]

    def __str__(self) -> str:
        return f"slot {self.number} of {self.pair}"


class Judgment(models.Model):
    """What a judge said of a pair: a grade, or a reason why not. Appended, never changed.

    `key` makes a repeated submission count once; `digest` is of the presentation that was on screen.
    """

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="judgments")
    slot = models.ForeignKey(Slot, models.PROTECT, related_name="judgments")
    judge = models.ForeignKey(User, models.PROTECT, related_name="judgments")
    grade = models.PositiveSmallIntegerField(null=True)
    reason = models.CharField(max_length=10, choices=Reason, blank=True)
    note = models.TextField(max_length=2000, blank=True)
    key = models.UUIDField(unique=True)
    digest = models.CharField(max_length=64)
    guideline_version = models.PositiveSmallIntegerField(default=0)
    seconds = models.FloatField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(grade=None) ^ Q(reason=""), name="a_grade_or_a_reason"),
        ]
        indexes = [models.Index(fields=["collection", "-id"]), models.Index(fields=["judge", "-created_at"])]

    def __str__(self) -> str:
        return f"{self.grade if self.grade is not None else self.reason} for {self.slot_id}"


class Qrels(models.Model):
    """A file of labels that were published elsewhere. Nobody is known to have judged them.

    `origin` says who made them, where they are and under which licence. `sha256` (hex) is of the file. `grades` are the
    grades here by those of the file, null where lines were left out: {"1": 1, "-1": null}. `left_out` is what else
    was, by its reason: {"documents outside the corpus": {"number": 3, "named": ["d7"]}}.
    """

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="qrels")
    file_name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    origin = models.CharField(max_length=300)
    grades = models.JSONField()
    left_out = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "qrels"
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.file_name

    @property
    def said(self) -> str:
        """What every page and file that shows labels says of these."""
        return f"Labels of {self.file_name} were published, not judged here: {self.origin}"


class PublishedLabelQuerySet(models.QuerySet["PublishedLabel"]):
    def of(self, collection: Collection) -> PublishedLabelQuerySet:
        return self.filter(qrels__collection=collection)

    def standing(self) -> PublishedLabelQuerySet:
        """Those that count: a pair that is judged here has the label that comes of it."""
        judged_here = Pair.objects.filter(query=OuterRef("query"), document=OuterRef("document"), counts=True)
        return self.filter(~Exists(judged_here))


class PublishedLabel(models.Model):
    """A grade of a pair as its qrels have it. Appended, never changed."""

    qrels = models.ForeignKey(Qrels, models.PROTECT, related_name="labels")
    query = models.ForeignKey(Query, models.PROTECT, related_name="published_labels")
    document = models.ForeignKey(Document, models.PROTECT, related_name="published_labels")
    grade = models.PositiveSmallIntegerField()

    objects = PublishedLabelQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["query", "document"], name="published_label_once")]

    def __str__(self) -> str:
        return f"{self.grade} for {self.query_id} × {self.document_id}"


def progress_of(annotator: User, query: Query) -> dict[str, int]:
    """How many pairs of the query the annotator has, has judged and has put off."""
    slots = Slot.objects.of(annotator, query)
    return slots.aggregate(
        total=Count("pk"),
        judged=Count("judgment"),
        put_off=Count("pk", filter=Q(judgment=None, put_off_at__isnull=False)),
    )
