"""The questions that count for agreement, and the grades that they were about."""

from __future__ import annotations

from typing import TypeAlias

from django.db.models import Exists, F, OuterRef

from accounts.models import Collection
from adjudication.models import Recipient, Referral
from annotation.models import PairQuerySet, PairQuestion, PairQuestionQuerySet

Grades: TypeAlias = tuple[int | None, int | None]


def questions_that_count() -> PairQuestionQuerySet:
    """Those asked since their pair was last given to two judges: at most one of each pair.

    One that was taken back is among them, because a judge may have answered it.
    """
    again = Referral.objects.filter(
        pair=OuterRef("pair"), recipient=Recipient.JUDGES, first__gte=OuterRef("first")
    )
    return PairQuestion.objects.filter(
        ~Exists(again), first__round=F("pair__query__opening__round")
    )


def grades_asked_about(
    collection: Collection, among: PairQuerySet | None = None
) -> dict[int, Grades]:
    """The grades in slots 1 and 2 that the question was about, by the id of the pair.

    `among` limits them to some of the pairs of the collection.
    """
    rows = questions_that_count().of(collection).order_by()
    if among is not None:
        rows = rows.filter(pair__in=among.order_by().values("pk"))
    return {
        pair: (first, second)
        for pair, first, second in rows.values_list("pair", "first__grade", "second__grade")
    }
