"""The revision of a collection's judgments, which dates a report without reading them."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db.models import IntegerField, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from accounts.models import Collection
from adjudication.models import CaseCount
from agreement.summary import STATISTICS_VERSION
from annotation.models import PairCount, SlotCount


class Revision(NamedTuple):
    """Counts of a collection that change whenever its report would.

    `judged` is the pairs with both judgments, `revised` how often a judgment superseded another or
    judges were asked about a pair, `decisions` how many were made. A slot never becomes empty
    again, and judgments, questions and decisions are only added. So `revised` and `decisions` never
    fall, and `judged` grows with each pair that gets its second judgment: no two states of a
    collection have the same three counts.

    Nothing else changes a report. Triggers keep the names and facets of opened queries, and the
    docnos of frozen pools, as they are. A pair that has its first judgment only changes nothing.
    """

    judged: int
    revised: int
    decisions: int

    def __str__(self) -> str:
        """The revision as a report stores it, with the version of the statistics."""
        return f"{STATISTICS_VERSION}:{self.judged}:{self.revised}:{self.decisions}"


def revision_of(collection: Collection) -> Revision:
    """The present revision, from one statement: all counts are of one moment."""
    ((judged, changes, first_judgments, decisions),) = Collection.objects.filter(
        pk=collection.pk
    ).values_list(
        _sum(PairCount.objects.all(), "judged"),
        _sum(PairCount.objects.all(), "revision"),
        _sum(SlotCount.objects.all(), "judged"),
        _sum(CaseCount.objects.all(), "decisions"),
    )
    return Revision(judged, changes - first_judgments, decisions)


def _sum(counts: QuerySet[Any], column: str) -> Coalesce:
    """The sum over the queries of the outer query's collection; 0 without a row."""
    of_collection = counts.filter(query__collection=OuterRef("pk")).order_by()
    sums = of_collection.values("query__collection").annotate(sum=Sum(column)).values("sum")
    return Coalesce(Subquery(sums), 0, output_field=IntegerField())
