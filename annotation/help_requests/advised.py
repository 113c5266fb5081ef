"""Judgments that were made after an admin's answer about their pair."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Exists, F, OuterRef, Q

from accounts.models import Collection
from annotation.models import HelpRequest, Slot


class AdvisedSlot(NamedTuple):
    query: str
    docno: str
    slot: int


def advised_slots(collection: Collection) -> list[AdvisedSlot]:
    """The slots of pairs with both judgments whose judgment came after an answer to the judge.

    The answer was to the judge's own request about this pair, or to all judges from a request about
    this pair. An answer about another pair is like the guideline: it is about none in particular.
    """
    requests = HelpRequest.objects.of(collection).answered().filter(pair__isnull=False)
    if not requests.exists():
        return []
    answers = requests.filter(
        Q(asker=OuterRef("annotator")) | Q(for_all=True),
        pair=OuterRef("pair"),
        answered_at__lt=OuterRef("judgment__created_at"),
    )
    other = Slot.objects.unjudged().filter(pair=OuterRef("pair"))
    rows = (
        Slot.objects.of(collection)
        .judged()
        .filter(Exists(answers), ~Exists(other), pair__in=requests.order_by().values("pair"))
        .annotate(query=F("pair__query__name"), docno=F("pair__candidate__document__docno"))
        .order_by()
        .values_list("query", "docno", "number")
    )
    return sorted(AdvisedSlot(*row) for row in rows)
