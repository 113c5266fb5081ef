"""Everything that writes qualifications. A row stays; a later one of the same level replaces it."""

from __future__ import annotations

from django.db import transaction

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.actions.subjects import about_person
from accounts.locking import lock_collection
from accounts.models import Collection, User
from annotation.models import Basis, Level, Qualification
from annotation.qualifications.standing import standing_qualification
from annotation.services import JudgingConflict, JudgingError, fault_of_reason


class BadQualification(JudgingError):
    """The reason of a qualification is missing or too long, or the person has no role here."""


class QualificationStands(JudgingConflict):
    """There is nothing to give, or nothing to withdraw."""


def give_qualification(
    *, collection: Collection, person: User, level: Level, reason: str, given_by: User | None
) -> Qualification:
    """Qualify a person without a measurement, for a reason that is kept.

    Raises:
        BadQualification: the reason is missing, or the person has no role here.
        QualificationStands: the person has it already.
        CollectionArchived
    """
    return _write(collection, person, level, Basis.OVERRIDE, reason, given_by)


def withdraw_qualification(
    *, collection: Collection, person: User, level: Level, reason: str, given_by: User | None
) -> Qualification:
    """Withdraw what stands. A judgment that is being saved meanwhile may still count.

    Raises:
        BadQualification: the reason is missing, or the person has no role here.
        QualificationStands: the person has no such qualification.
        CollectionArchived
    """
    return _write(collection, person, level, Basis.WITHDRAWAL, reason, given_by)


def _write(
    collection: Collection,
    person: User,
    level: Level,
    basis: Basis,
    reason: str,
    given_by: User | None,
) -> Qualification:
    reason = reason.strip()
    if fault := fault_of_reason(reason, "why the admin decides so"):
        raise BadQualification(fault)
    with transaction.atomic():
        lock_collection(collection)
        if not collection.memberships.filter(user=person).exists():
            raise BadQualification(
                f"{person.shown_name} has no role in {collection}. Add a role first."
            )
        stands = standing_qualification(collection, person, level) is not None
        if stands == (basis != Basis.WITHDRAWAL):
            has = "is qualified already" if stands else "is not qualified"
            raise QualificationStands(
                f"{person.shown_name} {has} as a {Level(level).label.lower()}, so nothing changed."
            )
        withdraws = basis == Basis.WITHDRAWAL
        record_action(
            kind=(
                ActionKind.QUALIFICATION_WITHDRAWN if withdraws else ActionKind.QUALIFICATION_GIVEN
            ),
            collection=collection,
            subject=about_person(person),
            details={"level": str(level), "reason": reason},
            by=given_by,
        )
        return collection.qualifications.create(
            person=person, level=level, basis=basis, reason=reason, given_by=given_by
        )


def record_measured(
    *,
    collection: Collection,
    person: User,
    level: Level,
    basis: Basis,
    rho: float,
    pairs: int,
    given_by: User | None = None,
) -> Qualification:
    """Qualify a person whose measured rho reaches the collection's threshold.

    The caller compared it, and owns the transaction: it saves the last answer of a training set.
    """
    return collection.qualifications.create(
        person=person, level=level, basis=basis, rho=rho, pairs=pairs, given_by=given_by
    )
