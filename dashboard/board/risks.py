"""The open queries that may stay unfinished, and why."""

from __future__ import annotations

from collections.abc import Collection as Group
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.db.models.functions import Abs, Coalesce
from django.utils import timezone

from accounts.models import Collection
from annotation.models import SlotCount
from corpus.models import Query
from dashboard.board.annotators import IDLE
from web.words import count_noun

MANY_CASES = 10  # that wait for adjudication
MANY_PAIRS = 10  # by which a slot is behind the other, besides half of the query


class QueryRisk(NamedTuple):
    """Counts of an open query: judgments by slot, slots, cases due, and the last judgment.

    `waits` is the number of people who hold unjudged slots and will not finish.
    """

    first: int
    second: int
    slots: int
    due: int
    waits: int
    last_judged: datetime | None

    def reasons(self, now: datetime) -> Iterator[str]:
        """Those that need no name; the rule in SQL is `at_risk`."""
        is_idle = self.last_judged is not None and now - self.last_judged >= IDLE
        gap = abs(self.first - self.second)
        if self.first + self.second < self.slots:
            if is_idle and self.last_judged:
                yield f"no judgment for {count_noun((now - self.last_judged).days, 'day')}"
            if gap >= MANY_PAIRS and 4 * gap >= self.slots:
                ahead, behind = (1, 2) if self.first > self.second else (2, 1)
                yield f"slot {behind} is {count_noun(gap, 'pair')} behind slot {ahead}"
        if is_idle and self.due >= MANY_CASES:
            yield f"{self.due:,} cases wait"


NO_RISK = QueryRisk(0, 0, 0, 0, 0, None)  # of a query without a slot


def risk_counts(counts: QuerySet[SlotCount], late: Group[int]) -> QuerySet[SlotCount, Any]:
    """A row for each query of these counts, with the columns of QueryRisk.

    `late` has the primary keys of the people who will not finish.
    """
    disputed, settled = (
        Max("query__pair_count__disputed"),
        Coalesce(Max("query__case_count__settled"), 0),
    )
    unjudged = Q(annotator__in=list(late), judged__lt=F("total"))
    return (
        counts.filter(total__gt=0)
        .order_by()
        .values("query")
        .annotate(
            first=Sum("judged", filter=Q(number=1), default=0),
            second=Sum("judged", filter=Q(number=2), default=0),
            slots=Sum("total"),
            due=disputed - settled,
            waits=Count("pk", filter=unjudged),
            last_judged=Max("latest_at"),
        )
    )


def at_risk(collection: Collection, late: Group[int]) -> list[int]:
    """The ids of the queries with a reason, or that wait for a person who will not finish."""
    # Others have no reason.
    possible = Q(query__pair_count__judged__lt=F("query__pair_count__total")) | Q(
        query__pair_count__disputed__gte=MANY_CASES
    )
    counts = SlotCount.objects.filter(possible, query__collection=collection)
    is_idle = Q(last_judged__lt=timezone.now() - IDLE)
    uneven = Q(gap__gte=MANY_PAIRS, slots__lte=4 * F("gap"))
    unfinished = Q(done__lt=F("slots"))
    rows = (
        risk_counts(counts, late)
        .annotate(done=F("first") + F("second"), gap=Abs(F("first") - F("second")))
        .filter(
            is_idle & (unfinished | Q(due__gte=MANY_CASES)) | unfinished & (Q(waits__gt=0) | uneven)
        )
        .values_list("query", flat=True)
    )
    return list(rows)


def risks_of(queries: Sequence[Query], late: Group[int]) -> dict[int, QueryRisk]:
    """The counts of these queries, by primary key."""
    counts = SlotCount.objects.filter(query__in=queries)
    rows = risk_counts(counts, late).values_list("query", *QueryRisk._fields)
    return {query: QueryRisk(*numbers) for query, *numbers in rows}
