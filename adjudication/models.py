"""Decisions on disputed pairs, and grades given blind before them or of agreed pairs.

A query finds the pairs that are due; the state is not stored.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Case as Choice
from django.db.models import Exists, F, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Abs, Coalesce

from accounts.models import HIGHEST_GRADE, Collection
from annotation.models import DISPUTED, Judgment, Pair, PairQuerySet, Slot, SlotCount
from corpus.models import Query

if TYPE_CHECKING:
    from accounts.models import User


UNKNOWN = -1  # in place of a difference that the adjudicator must not know before grading


class CaseQuerySet(PairQuerySet):
    """Cases open by themselves: a pair is one when both judgments are in and differ.

    The only other way is a referral to the adjudicator.
    """

    def cases(self) -> CaseQuerySet:
        """Every case, decided or due, with `decision_id` and the absolute `difference` of grades.

        `difference` is 5, more than any two grades differ, where a slot says "cannot judge".
        """
        return self.disputed().annotate(  # type: ignore[return-value]  # it is a CaseQuerySet
            decision_id=Subquery(standing_decisions().values("pk")[:1]), difference=_difference()
        )

    def due(self) -> CaseQuerySet:
        return self.cases().filter(decision_id=None)

    def decided(self) -> CaseQuerySet:
        return self.cases().filter(decision_id__isnull=False)

    def to_adjudicate(self) -> CaseQuerySet:
        """Every case, decided or due, and the spot checks that are due.

        `difference` is UNKNOWN where the adjudicator grades without seeing the judgments: for spot
        checks, and for all pairs of a collection that grades blind first.
        """
        blind = Q(query__collection__grades_blind_first=True) | ~DISPUTED
        rows = self.judged().filter(DISPUTED | due_spot_check())
        return rows.annotate(  # type: ignore[return-value]  # it is a CaseQuerySet
            decision_id=Choice(
                When(DISPUTED, then=Subquery(standing_decisions().values("pk")[:1])),
                default=None,
                output_field=models.BigIntegerField(),
            ),
            difference=Choice(When(blind, then=Value(UNKNOWN)), default=_difference()),
        )

    def waiting(self) -> CaseQuerySet:
        """The due cases and the due spot checks."""
        return self.to_adjudicate().filter(decision_id=None)

    def for_adjudicator(self, user: User) -> CaseQuerySet:
        """Leave out every pair that the user judged or has a slot in."""
        own_slots = Slot.objects.filter(pair=OuterRef("pk"), annotator=user)
        # A pair that was opened again, or is in another round, may have other judges now.
        judged_by_user = SlotCount.objects.filter(annotator=user, latest_at__isnull=False)
        own_judgments = Judgment.objects.filter(slot__pair=OuterRef("pk"), annotator=user)
        return self.exclude(Exists(own_slots)).exclude(
            Q(query__in=judged_by_user.values("query")) & Exists(own_judgments)
        )


def _difference() -> Coalesce:
    return Coalesce(
        Abs(F("first_grade") - F("second_grade")),
        Value(HIGHEST_GRADE + 1),
        output_field=models.IntegerField(),
    )


def due_spot_check() -> Q:
    """The pairs of `with_grades` that are spot checks and have no grade of an adjudicator yet."""
    checked = BlindRating.objects.filter(
        pair=OuterRef("pk"), first=OuterRef("first"), second=OuterRef("second")
    )
    return Q(
        ~Exists(checked),
        first_grade=F("second_grade"),
        referral_count=0,
        spot_check_number__lt=F("query__collection__spot_check_share"),
    )


class Case(Pair):
    """A pair that needs a decision, as adjudication sees it."""

    if TYPE_CHECKING:  # what `cases` adds
        decision_id: int | None
        difference: int

    objects = CaseQuerySet.as_manager()  # type: ignore[misc]  # a proxy's own manager

    class Meta:
        proxy = True


class Decision(models.Model):
    """The adjudicator's decision on a case, and the two judgments that he or she saw.

    A decision holds for those two judgments only: when an annotator revises one of them, the case
    is due again. So it is when an admin sends the pair to the adjudicator again. `grade` is NULL
    when the pair cannot be judged at all; then `reason` says why, as a code of
    `annotation.Reason`; what the adjudicator wrote stands in `note`.
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
    seconds = models.FloatField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    referral_count = models.SmallIntegerField(
        default=0, db_default=0, help_text="The pair's when it was made. It stands for no other."
    )
    is_imported = models.BooleanField(
        default=False,
        db_default=False,
        help_text="It was made elsewhere, so without a blind grade.",
    )

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
            models.Index(fields=["pair"], condition=Q(grade=None), name="decision_without_grade"),
            models.Index(fields=["created_at"], name="decision_by_time"),
        ]

    def __str__(self) -> str:
        return f"decision {self.sequence} on {self.pair}"


def standing_decisions() -> models.QuerySet[Decision]:
    """The decisions that stand on a pair of `with_grades`, the newest first. For a subquery."""
    return Decision.objects.filter(
        pair=OuterRef("pk"),
        first=OuterRef("first"),
        second=OuterRef("second"),
        referral_count=OuterRef("referral_count"),
    ).order_by("-sequence")


class BlindRating(models.Model):
    """An adjudicator's grade of a pair, given without seeing the two judgments beside it.

    In a collection that grades blind first, it comes before the decision. On an agreed pair it is
    a spot check, which changes no label. `grade`, `reason` and `note` are as those of a decision.
    """

    # No index of its own: `blind_rating_once` begins with it.
    pair = models.ForeignKey(Pair, models.PROTECT, related_name="blind_ratings", db_index=False)
    adjudicator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="blind_ratings"
    )
    first = models.ForeignKey(Judgment, models.PROTECT, related_name="+")
    second = models.ForeignKey(Judgment, models.PROTECT, related_name="+")
    is_spot_check = models.BooleanField(help_text="Both judges agreed on the pair.")
    grade = models.PositiveSmallIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=200, blank=True)
    note = models.TextField(blank=True)
    key = models.UUIDField(unique=True)
    seconds = models.FloatField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["pair", "first", "second", "adjudicator"], name="blind_rating_once"
            ),
            models.CheckConstraint(
                condition=Q(grade__isnull=False, grade__lte=HIGHEST_GRADE, reason="")
                | (Q(grade__isnull=True) & ~Q(reason="")),
                name="blind_rating_grade_or_reason",
            ),
            models.CheckConstraint(
                condition=~Q(first=F("second")), name="blind_rating_of_two_judgments"
            ),
        ]
        indexes = [models.Index(fields=["created_at"], name="blind_rating_by_time")]

    def __str__(self) -> str:
        return f"blind rating {self.pk} of {self.pair}"


class ClaimQuerySet(models.QuerySet["Claim"]):
    def live(self, now: datetime) -> ClaimQuerySet:
        return self.filter(expires_at__gt=now)


class Claim(models.Model):
    """A pair that an adjudicator has open, so that no other is given it until the claim expires."""

    pair = models.OneToOneField(Pair, models.CASCADE, related_name="claim")
    adjudicator = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="claims")
    claimed_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)

    objects = ClaimQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("claimed_at")), name="claim_expires_later"
            )
        ]

    def __str__(self) -> str:
        return f"{self.pair} claimed by {self.adjudicator}"


class Recipient(models.TextChoices):
    """The people who decide a judged pair again."""

    ADJUDICATOR = "adjudicator", "The adjudicator"
    JUDGES = "judges", "Two judges, blind"


class ReferralQuerySet(models.QuerySet["Referral"]):
    def of(self, collection: Collection) -> ReferralQuerySet:
        return self.filter(pair__query__collection=collection)


class Referral(models.Model):
    """An admin's reason why a judged pair is decided again, and the judgments that it had then.

    A trigger carries it out. To the adjudicator: the pair is a case, also if its grades are equal,
    and no earlier decision stands. To the judges: both slots are empty, and no page shows the
    earlier judgments any more. The row of a pair that was imported so has no `referred_by`.
    """

    pair = models.ForeignKey(Pair, models.PROTECT, related_name="referrals")
    recipient = models.CharField(max_length=12, choices=Recipient)
    reason = models.TextField(help_text="A changelog publishes it. No judge is shown it.")
    first = models.ForeignKey(Judgment, models.PROTECT, related_name="+")
    second = models.ForeignKey(Judgment, models.PROTECT, related_name="+")
    referred_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ReferralQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(recipient__in=Recipient.values), name="referral_recipient_known"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="referral_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.pair} to the {self.recipient}"


class CaseCount(models.Model):
    """Counts of one query's decisions. Triggers keep them; a query without one has no row.

    `settled` counts the cases with a standing decision, `decisions` all decisions ever made.
    """

    query = models.OneToOneField(Query, models.CASCADE, primary_key=True, related_name="case_count")
    settled = models.IntegerField()
    decisions = models.IntegerField()

    def __str__(self) -> str:
        return f"decisions on {self.query}"


class DueCount(models.Model):
    """The number of due cases of a query with this difference of grades. Triggers keep it.

    So the next of all cases is found without comparing the grades of all of them.
    """

    query = models.ForeignKey(Query, models.CASCADE, related_name="due_counts", db_index=False)
    difference = models.PositiveSmallIntegerField(help_text="As that of a case.")
    due = models.IntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["query", "difference"], name="due_count_once")
        ]

    def __str__(self) -> str:
        return f"due cases of {self.query} with difference {self.difference}"


class SpotCheckCount(models.Model):
    """The number of due spot checks of a query. Triggers keep it; a query without has no row."""

    query = models.OneToOneField(
        Query, models.CASCADE, primary_key=True, related_name="spot_check_count"
    )
    due = models.IntegerField()

    def __str__(self) -> str:
        return f"due spot checks of {self.query}"


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
