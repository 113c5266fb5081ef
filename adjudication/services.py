"""Everything that writes decisions."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction

from accounts.models import User
from adjudication.models import Case, Decision
from annotation.models import GRADES, Reason, Slot


class AdjudicationError(Exception):
    """A decision that cannot be taken; the message is for the adjudicator."""

    is_for_people = True


class JudgedByYou(AdjudicationError):
    """Nobody adjudicates a pair that he or she judged."""


class NoSuchCase(AdjudicationError):
    """The pair is not, or no longer, a case."""


class JudgmentsChanged(AdjudicationError):
    """A judgment was revised since the adjudicator's page was made."""


class AlreadyDecided(AdjudicationError):
    """Another adjudicator's decision stands."""


class BadRuling(AdjudicationError):
    """The ruling is neither a grade nor a reason, or both."""


@dataclass(frozen=True)
class Ruling:
    """The final grade, or a code of why the pair gets none; own words are in the note."""

    grade: int | None = None
    reason: str = ""
    note: str = ""

    def check(self) -> None:
        if self.grade is None and self.reason not in Reason.values:
            raise BadRuling("Give a grade from 0 to 3, or say why the pair cannot be judged.")
        if self.grade is not None and (self.grade not in GRADES or self.reason):
            raise BadRuling(f"{self.grade} with reason {self.reason!r}: give a grade or a reason.")


def decide(
    *,
    pair_id: int,
    adjudicator: User,
    ruling: Ruling,
    seen: tuple[int, int],
    key: uuid.UUID,
) -> Decision:
    """Decide a case; the adjudicator's own standing decision is superseded.

    `seen` are the ids of the two judgments (slot 1, slot 2) that the adjudicator's page showed.
    The same `key` again returns the first decision.

    Raises:
        BadRuling, NoSuchCase, JudgedByYou, JudgmentsChanged, AlreadyDecided
    """
    ruling.check()
    try:
        with transaction.atomic():
            return _decide(pair_id, adjudicator, ruling, seen, key)
    except IntegrityError:
        earlier = Decision.objects.filter(key=key, pair_id=pair_id, adjudicator=adjudicator).first()
        if earlier is None:
            raise
        return earlier


def _decide(
    pair_id: int, adjudicator: User, ruling: Ruling, seen: tuple[int, int], key: uuid.UUID
) -> Decision:
    slots = list(Slot.objects.select_for_update().filter(pair_id=pair_id).order_by("number"))
    if adjudicator.pk in {slot.annotator_id for slot in slots}:
        raise JudgedByYou("You judged this pair yourself, so somebody else must settle it.")
    earlier = Decision.objects.filter(key=key, pair_id=pair_id, adjudicator=adjudicator).first()
    if earlier is not None:
        return earlier
    case: Any = Case.objects.cases().filter(pk=pair_id).first()
    if case is None:
        raise NoSuchCase("The two judges agree on this pair now; there is nothing to settle.")
    if seen != (case.first, case.second):
        raise JudgmentsChanged(
            "A judge revised this pair while you were looking at it, so nothing was saved. "
            "Reload the page to see both judgments as they are."
        )
    if case.decision_id is not None:
        standing = Decision.objects.get(pk=case.decision_id)
        if standing.adjudicator_id != adjudicator.pk:
            raise AlreadyDecided(
                "Another adjudicator settled this pair first; that decision stands."
            )
    return Decision.objects.create(
        pair_id=pair_id,
        sequence=Decision.objects.filter(pair_id=pair_id).count() + 1,
        adjudicator=adjudicator,
        first_id=seen[0],
        second_id=seen[1],
        grade=ruling.grade,
        reason=ruling.reason,
        note=ruling.note,
        key=key,
    )
