"""Decisions on disputed pairs. A query finds the pairs that are due; the state is not stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q, Subquery, Value
from django.db.models.functions import Abs, Coalesce

from accounts.models import HIGHEST_GRADE, Collection
from annotation.models import Judgment, Pair, PairQuerySet, Slot
from corpus.models import Query

if TYPE_CHECKING:
    from accounts.models import User


class CaseQuerySet(PairQuerySet):
    """Cases open by themselves: a pair is one when both judgments are in and differ."""

    def cases(self) -> CaseQuerySet:
        """Every case, decided or due, with `decision_id` and the absolute `difference` of grades.

        `difference` is 5, more than any two grades differ, where a slot says "cannot judge".
        """
        decisions = Decision.objects.filter(
            pair=OuterRef("pk"), first=OuterRef("first"), second=OuterRef("second")
        ).order_by("-sequence")
        return self.disputed().annotate(  # type: ignore[return-value]  # it is a CaseQuerySet
            decision_id=Subquery(decisions.values("pk")[:1]),
            difference=Coalesce(
                Abs(F("first_grade") - F("second_grade")),
                Value(HIGHEST_GRADE + 1),
                output_field=models.IntegerField(),
            ),
        )

    def due(self) -> CaseQuerySet:
        return self.cases().filter(decision_id=None)

    def decided(self) -> CaseQuerySet:
        return self.cases().filter(decision_id__isnull=False)

    def for_adjudicator(self, user: User) -> CaseQuerySet:
        """Leave out every pair that the user judged or has a slot in."""
        own_slots = Slot.objects.filter(pair=OuterRef("pk"), annotator=user)
        return self.exclude(Exists(own_slots))


class Case(Pair):
    """A disputed pair, as adjudication sees it."""

    if TYPE_CHECKING:  # what `cases` adds
        decision_id: int | None
        difference: int

    objects = CaseQuerySet.as_manager()  # type: ignore[misc]  # a proxy's own manager

    class Meta:
        proxy = True


class Decision(models.Model):
    """The adjudicator's decision on a case, and the two judgments that he or she saw.

    A decision holds for those two judgments only: when an annotator revises one of them, the case
    is due again. `grade` is NULL when the pair cannot be judged at all; then `reason` says why,
    as a code of `annotation.Reason`; what the adjudicator wrote stands in `note`.
    """

    pair = models.ForeignKey(Pair, models.PROTECT, related_name="decisions")
    sequence = models.PositiveSmallIntegerField()
    adjudicator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="decisions"
    )
    first = models.ForeignKey(Judgment, models.PROTECT, related_name="+")
    second = models.ForeignKey(Judgment, models.PROTECT, related_name="+")
    grade = models.PositiveSmallIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=200, blank=True)
    note = models.TextField(blank=True)
    key = models.UUIDField(unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pair", "sequence"]
        constraints = [
            models.UniqueConstraint(fields=["pair", "sequence"], name="decision_sequence_once"),
            models.CheckConstraint(
                condition=Q(grade__isnull=False, grade__lte=HIGHEST_GRADE, reason="")
                | (Q(grade__isnull=True) & ~Q(reason="")),
                name="decision_grade_or_reason",
            ),
            models.CheckConstraint(
                condition=~Q(first=F("second")), name="decision_saw_two_judgments"
            ),
        ]
        indexes = [
            models.Index(fields=["pair"], condition=Q(grade=None), name="decision_without_grade")
        ]

    def __str__(self) -> str:
        return f"decision {self.sequence} on {self.pair}"


class CaseCount(models.Model):
    """Counts of one query's decisions. Triggers keep them; a query without one has no row.

    `settled` counts the cases with a standing decision, `decisions` all decisions ever made.
    """

    query = models.OneToOneField(Query, models.CASCADE, primary_key=True, related_name="case_count")
    settled = models.IntegerField()
    decisions = models.IntegerField()

    def __str__(self) -> str:
        return f"decisions on {self.query}"


class JudgmentImport(models.Model):
    """Files of judgments made elsewhere, and how many judgments and decisions came from them.

    Judgments are never deleted, so the counts stay true. A release states them.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="judgment_imports")
    files = models.JSONField(help_text="The SHA-256 of each file, by its name.")
    judgments = models.PositiveIntegerField()
    decisions = models.PositiveIntegerField()
    imported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"{', '.join(self.filenames)} in {self.collection}"

    @property
    def filenames(self) -> list[str]:
        """Sorted, because PostgreSQL keeps no order of keys."""
        return sorted(self.files)
