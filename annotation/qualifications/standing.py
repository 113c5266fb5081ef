"""The qualifications that stand: of each person and level, the latest row, unless it withdraws."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db.models import OuterRef, Q, QuerySet, Subquery

from accounts.models import JUDGES, Collection, Role, User
from annotation.models import Basis, Level, Qualification

STANDING = (Basis.TRAINING, Basis.JUDGMENTS, Basis.OVERRIDE)


def qualifications_of(collection: Collection) -> QuerySet[Qualification]:
    """All rows, the latest first."""
    return collection.qualifications.select_related("person", "given_by").order_by("-pk")


def latest_basis(level: Level, *, collection: Any, person: Any) -> Subquery:
    """The basis of the latest row of the level; NULL without one. For `alias`."""
    rows = Qualification.objects.filter(collection=collection, person=person, level=level)
    return Subquery(rows.order_by("-pk").values("basis")[:1])


def standing_qualification(
    collection: Collection, person: User, level: Level
) -> Qualification | None:
    """The row that counts, or None."""
    latest = collection.qualifications.filter(person=person, level=level).order_by("-pk").first()
    return None if latest is None or latest.basis == Basis.WITHDRAWAL else latest


def standing_qualifications(collection: Collection, level: Level) -> dict[int, Qualification]:
    """The row that counts of each person who has one, by the person's primary key."""
    rows = collection.qualifications.filter(level=level).order_by("pk")
    latest = {row.person_id: row for row in rows}  # few: a row a person, and what admins changed
    return {person: row for person, row in latest.items() if row.basis != Basis.WITHDRAWAL}


class LevelState(NamedTuple):
    """A person's rows of a level, the latest first. `threshold` is None if none is needed."""

    level: Level
    threshold: float | None
    rows: list[Qualification]

    @property
    def standing(self) -> Qualification | None:
        latest = self.rows[0] if self.rows else None
        return None if latest is None or latest.basis == Basis.WITHDRAWAL else latest


def level_states(collection: Collection, person: User) -> list[LevelState]:
    """The levels that the collection asks for, or that the person has rows of."""
    rows = list(qualifications_of(collection).filter(person=person))
    thresholds = {Level.JUDGE: collection.qualifying_rho, Level.SENIOR: collection.senior_rho}
    states = [
        LevelState(level, threshold, [row for row in rows if row.level == level])
        for level, threshold in thresholds.items()
    ]
    return [state for state in states if state.rows or state.threshold is not None]


def must_qualify(collection: Collection, person: User) -> bool:
    """Return whether the person has no live queue yet."""
    if collection.qualifying_rho is None:
        return False
    return standing_qualification(collection, person, Level.JUDGE) is None


def unqualified_annotators(collection: Collection) -> QuerySet[User]:
    """The annotators who can log in and have no live queue yet, by username."""
    if collection.qualifying_rho is None:
        return User.objects.none()
    basis = latest_basis(Level.JUDGE, collection=collection, person=OuterRef("pk"))
    annotators = User.objects.filter(
        is_active=True, memberships__collection=collection, memberships__role__in=JUDGES
    )
    waiting = Q(basis=None) | Q(basis=Basis.WITHDRAWAL)
    return annotators.alias(basis=basis).filter(waiting).distinct().order_by("username")


# Tiers


def must_be_senior(collection: Collection, person: User) -> bool:
    """Return whether the person may not adjudicate, because the collection's seniors do."""
    if collection.senior_rho is None:
        return False
    return standing_qualification(collection, person, Level.SENIOR) is None


def adjudicating_seniors(collection: Collection) -> frozenset[int]:
    """The seniors who adjudicate, by primary key; none without tiers.

    A senior without the role of an adjudicator judges as everybody does.
    """
    if collection.senior_rho is None:
        return frozenset()
    seniors = standing_qualifications(collection, Level.SENIOR)
    adjudicators = collection.memberships.filter(role=Role.ADJUDICATOR, user__in=seniors)
    return frozenset(adjudicators.values_list("user", flat=True))
