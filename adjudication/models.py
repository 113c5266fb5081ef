"""Decisions on the pairs that two judges saw differently."""

from __future__ import annotations

from typing import NamedTuple

from django.db import models
from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.models import Collection, User
from annotation.models import Judgment, Pair, PairState
from corpus.ordering import order_key


class Sides(NamedTuple):
    a: Judgment
    b: Judgment


def sides(seed: str, query: str, docno: str, first: Judgment, second: Judgment) -> Sides:
    """The two judgments as A and B: in a random order that stays the same for the pair."""
    flip = int(order_key(seed, "case-sides", query, docno), 16) % 2
    return Sides(second, first) if flip else Sides(first, second)


class DecisionQuerySet(models.QuerySet["Decision"]):
    def standing(self) -> DecisionQuerySet:
        """Those that count: the latest of each decided pair."""
        later = Decision.objects.filter(pair=OuterRef("pair"), pk__gt=OuterRef("pk"))
        return self.filter(~Exists(later), pair__state=PairState.DECIDED)

    def with_texts(self) -> DecisionQuerySet:
        """With all that a list of decisions shows."""
        return self.select_related("collection", "first", "second", "pair__query", "pair__document").defer(
            "pair__document__cites", "pair__document__authors", "pair__document__extra"
        )


class Decision(models.Model):
    """An adjudicator's grade of a pair, or NULL to set it aside. Appended, never changed.

    It is on two judgments, `first` and `second`: when one of them is superseded, it stands no more. The latest counts
    while the pair's state is "decided".
    """

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="decisions")
    pair = models.ForeignKey(Pair, models.PROTECT, related_name="decisions")
    adjudicator = models.ForeignKey(User, models.PROTECT, related_name="decisions")
    first = models.ForeignKey(Judgment, models.PROTECT, related_name="+")
    second = models.ForeignKey(Judgment, models.PROTECT, related_name="+")
    grade = models.PositiveSmallIntegerField(null=True)
    note = models.TextField(max_length=2000, blank=True)
    key = models.UUIDField(unique=True)
    seconds = models.FloatField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = DecisionQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["collection", "-id"])]

    def __str__(self) -> str:
        return f"{self.grade if self.grade is not None else 'set aside'} for {self.pair_id}"

    @property
    def sides(self) -> Sides:
        pair = self.pair
        return sides(self.collection.seed, pair.query.name, pair.document.docno, self.first, self.second)


class Reopening(models.Model):
    """An admin sent a settled pair to the adjudicators again, for a reason."""

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="reopenings")
    pair = models.ForeignKey(Pair, models.PROTECT, related_name="reopenings")
    admin = models.ForeignKey(User, models.PROTECT, related_name="+")
    reason = models.TextField(max_length=2000)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.pair_id} re-opened"
