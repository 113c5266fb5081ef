"""The people who judged and decided, and whether they had qualified."""

from __future__ import annotations

from collections.abc import Iterable

from accounts.models import Collection
from adjudication.models import Decision
from annotation.models import Basis, Level, Seat, SlotCount
from annotation.qualifications.standing import standing_qualifications
from bundle.records import QualifiedPeople, ReleasedQualifications


def released_qualifications(collection: Collection) -> ReleasedQualifications:
    """The rules of now, and the rows that stand now."""
    judges = seniors = None
    if collection.qualifying_rho is not None:
        judged = SlotCount.objects.filter(query__collection=collection, judged__gt=0).order_by()
        people = set(judged.values_list("annotator", flat=True))
        judges = (collection.qualifying_rho, _counted(collection, Level.JUDGE, people))
    if collection.senior_rho is not None:
        decided = Decision.objects.filter(pair__query__collection=collection).order_by()
        people = set(decided.values_list("adjudicator", flat=True).distinct())
        seniors = (collection.senior_rho, _counted(collection, Level.SENIOR, people))
    seats = Seat.objects.filter(opening__query__collection=collection).exclude(senior_reason="")
    return ReleasedQualifications(judges, seniors, seats.count() if seniors else 0)


def _counted(collection: Collection, level: Level, people: Iterable[int]) -> QualifiedPeople:
    standing = standing_qualifications(collection, level)
    bases = [standing[person].basis if person in standing else None for person in people]
    excepted = bases.count(Basis.OVERRIDE)
    others = bases.count(None)
    return QualifiedPeople(len(bases) - excepted - others, excepted, others)
