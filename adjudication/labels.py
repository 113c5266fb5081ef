"""Final labels: the agreed grade or the decision, with where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from django.db import connection
from django.db.models import F, IntegerField, OuterRef, Subquery
from django.db.models.functions import Coalesce, Collate

from accounts.models import Collection
from adjudication.models import Decision
from annotation.models import Pair, PairQuerySet

READ_TOGETHER = 5_000  # pairs
SET_ASIDE = -1  # in the rows read here, a decision without a grade


class Standing(StrEnum):
    """How far a pair has come."""

    UNJUDGED = "unjudged"  # at least one slot is empty; its judgments stay secret
    DUE = "due"  # a case without a decision
    AGREED = "agreed"  # both judges gave the same grade
    ADJUDICATED = "adjudicated"  # a decision gave the grade
    SET_ASIDE = "set aside"  # the decision is that the pair cannot be judged
    CITATION = "citation"  # no person judged it; only releases with citation labels have such pairs


class LabelledPair(NamedTuple):
    """One pair with everything that agreement and release need. Grades are 0–3 or None.

    While the pair is unjudged, both grades are None, whatever its slots hold.
    """

    query: str
    facet: str
    docno: str
    standing: Standing
    first: int | None
    second: int | None
    final: int | None

    @property
    def judged(self) -> bool:
        return self.standing not in (Standing.UNJUDGED, Standing.CITATION)

    @property
    def overruled(self) -> bool:
        """The final label is neither of the two judgments."""
        if not self.judged or self.final is None:
            return False
        return self.final not in (self.first, self.second)


def final_label(
    first: int | None,
    second: int | None,
    decision: tuple[int | None] | None,
    *,
    referred: bool = False,
) -> tuple[Standing, int | None]:
    """The standing and the final label of a judged pair.

    `first` and `second` are the grades in its slots (None: cannot judge); `decision` holds the
    decision's grade in a tuple, or is None when there is no decision on these two judgments.
    `referred`: an admin sent the pair to the adjudicator, so equal grades do not settle it.
    """
    if decision is not None:
        (grade,) = decision
        return (Standing.SET_ASIDE if grade is None else Standing.ADJUDICATED), grade
    if first is not None and first == second and not referred:
        return Standing.AGREED, first
    return Standing.DUE, None


def labelled_pairs(
    collection: Collection, among: PairQuerySet | None = None
) -> Iterator[LabelledPair]:
    """Every pair of the collection, ordered by query name, then docno as a string of bytes.

    They come from one statement, so all are of one moment, and are not held in memory together.
    `among` limits them to some of its pairs.
    """
    decisions = Decision.objects.filter(
        pair=OuterRef("pk"),
        first=OuterRef("first"),
        second=OuterRef("second"),
        referral_count=OuterRef("referral_count"),
    ).order_by("-sequence")
    rows = (
        (Pair.objects.all() if among is None else among)
        .of(collection)
        .with_grades()
        .annotate(
            decision=Subquery(
                decisions.annotate(
                    ruling=Coalesce("grade", SET_ASIDE, output_field=IntegerField())
                ).values("ruling")[:1]
            ),
            docno=F("candidate__document__docno"),
        )
        .order_by(*(Collate(name, _byte_order()) for name in ("query__name", "docno")))
        .values_list(
            "query__name",
            "query__facet__key",
            "docno",
            "first",
            "second",
            "first_grade",
            "second_grade",
            "decision",
            "referral_count",
        )
    )
    for name, facet, docno, first_id, second_id, first, second, ruling, referrals in rows.iterator(
        READ_TOGETHER
    ):
        if first_id is None or second_id is None:
            yield LabelledPair(name, facet, docno, Standing.UNJUDGED, None, None, None)
            continue
        decision = None if ruling is None else (None if ruling == SET_ASIDE else ruling,)
        state, final = final_label(first, second, decision, referred=referrals > 0)
        yield LabelledPair(name, facet, docno, state, first, second, final)


def _byte_order() -> str:
    """The collation in which both databases order texts as Python does, by code point."""
    return "C" if connection.vendor == "postgresql" else "BINARY"
