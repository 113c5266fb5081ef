"""Pairs by state and labels, from kept counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Sum
from django.db.models.functions import Coalesce

from accounts.models import Collection
from adjudication.models import Decision
from annotation.models import PairCount, Slot
from corpus.models import Query

UNDECIDED = F("disputed") - Coalesce(F("query__case_count__settled"), 0)
UNJUDGED = F("total") - F("judged")


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Pairs by state; `due` for a decision. `labels` are the final labels."""

    total: int
    judged: int
    due: int
    labels: int


def pair_counts(collection: Collection) -> PairCounts:
    sums = PairCount.objects.filter(query__collection=collection).aggregate(
        total=Coalesce(Sum("total"), 0),
        judged=Coalesce(Sum("judged"), 0),
        due=Coalesce(Sum(UNDECIDED), 0),
    )
    return PairCounts(**sums, labels=sums["judged"] - sums["due"] - _set_aside(collection))


def pooled_queries(collection: Collection) -> QuerySet[Query]:
    """The queries that citations label: those of frozen pools with candidates to label."""
    return collection.queries.filter(
        query_paper__pool__frozen_at__isnull=False, query_paper__pool__to_judge__gt=0
    ).order_by()


def citation_label_count(collection: Collection) -> int:
    labels = Coalesce(Sum("query_paper__pool__to_judge"), 0)
    return int(pooled_queries(collection).aggregate(labels=labels)["labels"])


def _set_aside(collection: Collection) -> int:
    """The pairs whose standing decision gives no grade; an index holds the few such decisions."""
    # Not joined, and of all collections: otherwise SQLite goes through the collection's pairs.
    counted = (
        standing_decisions(grade=None).values_list("pair__query__collection").annotate(Count("pk"))
    )
    counts: dict[int, int] = dict(counted)
    return counts.get(collection.pk, 0)


def standing_decisions(**which: Any) -> QuerySet[Decision]:
    """Of these decisions, those on the judgments that both slots show, without a later one."""
    later = Decision.objects.filter(
        pair=OuterRef("pair"),
        first=OuterRef("first"),
        second=OuterRef("second"),
        sequence__gt=OuterRef("sequence"),
    )
    slots = Slot.objects.filter(pair=OuterRef("pair"))
    return (
        Decision.objects.filter(**which, referral_count=F("pair__referral_count"))
        .filter(Exists(slots.filter(number=1, judgment=OuterRef("first"))))
        .filter(Exists(slots.filter(number=2, judgment=OuterRef("second"))))
        .exclude(Exists(later))
        .order_by()
    )
