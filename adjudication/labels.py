"""Final labels: the agreed grade or the decision, with where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from django.db.models import F, OuterRef, Subquery

from accounts.models import Collection
from adjudication.models import Decision
from annotation.models import Pair


class Standing(StrEnum):
    """How far a pair has come."""

    UNJUDGED = "unjudged"  # at least one slot is empty; nothing of it may be learnt
    DUE = "due"  # a case without a decision
    AGREED = "agreed"  # both judges gave the same grade
    ADJUDICATED = "adjudicated"  # a decision gave the grade
    SET_ASIDE = "set aside"  # a decision said that it cannot be judged


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
        return self.standing is not Standing.UNJUDGED

    @property
    def overruled(self) -> bool:
        """The final label is neither of the two judgments."""
        return self.final is not None and self.final not in (self.first, self.second)


def final_label(
    first: int | None, second: int | None, decision: tuple[int | None] | None
) -> tuple[Standing, int | None]:
    """The standing and the final label of a judged pair.

    `first` and `second` are the grades in its slots (None: cannot judge); `decision` holds the
    decision's grade in a tuple, or is None when there is no decision on these two judgments.
    """
    if decision is not None:
        (grade,) = decision
        return (Standing.SET_ASIDE if grade is None else Standing.ADJUDICATED), grade
    if first is not None and first == second:
        return Standing.AGREED, first
    return Standing.DUE, None


def labelled_pairs(collection: Collection) -> Iterator[LabelledPair]:
    """Every pair of the collection, ordered by query name, then docno as a string of bytes."""
    standing = Decision.objects.filter(
        pair=OuterRef("pk"), first=OuterRef("first"), second=OuterRef("second")
    ).order_by("-sequence")
    rows = (
        Pair.objects.of(collection)
        .with_grades()
        .annotate(
            decision_id=Subquery(standing.values("pk")[:1]),
            decision_grade=Subquery(standing.values("grade")[:1]),
            docno=F("candidate__document__docno"),
        )
        .values_list(
            "query__name",
            "query__facet__key",
            "docno",
            "first",
            "second",
            "first_grade",
            "second_grade",
            "decision_id",
            "decision_grade",
        )
    )
    for name, facet, docno, one, two, first, second, decision, grade in sorted(
        rows, key=lambda row: row[:3]
    ):
        if one is None or two is None:
            yield LabelledPair(name, facet, docno, Standing.UNJUDGED, None, None, None)
            continue
        state, final = final_label(first, second, None if decision is None else (grade,))
        yield LabelledPair(name, facet, docno, state, first, second, final)
