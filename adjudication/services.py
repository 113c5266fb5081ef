"""Everything that writes decisions."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction

from accounts.locking import check_not_archived
from accounts.models import Collection, User
from adjudication.models import Case, Decision
from annotation.models import Judgment, Slot
from annotation.services import GradedAnswer
from web.errors import UserFacingError

PUBLIC_RULE = "decision_of_public_version_stays"  # a trigger of `release`, which has the versions


class AdjudicationError(UserFacingError):
    """A decision that cannot be saved; the message is for the adjudicator."""


class AdjudicationConflict(AdjudicationError):
    """A decision that contradicts the present state."""

    status = 409


class JudgedByYou(AdjudicationError):
    """The adjudicator judged this pair."""

    status = 404


class NoSuchCase(AdjudicationConflict):
    """The pair is not, or no longer, a case."""


class WaitsForJudges(NoSuchCase):
    """A question to the judges of the pair is open."""


class JudgmentsChanged(AdjudicationConflict):
    """A judgment was revised since the adjudicator's page was made."""


class AlreadyDecided(AdjudicationConflict):
    """Another adjudicator's decision stands."""


class DecidedMeanwhile(AdjudicationConflict):
    """The adjudicator's own standing decision is not the one that his or her page showed."""


class DecisionInPublicVersion(AdjudicationConflict):
    """A version with the adjudicator's decision was made public since."""


class DecisionKeyReused(AdjudicationConflict):
    """An idempotency key came with two different rulings."""


class BadRuling(AdjudicationError):
    """The ruling is neither a grade nor a reason, or both."""


@dataclass(frozen=True)
class Ruling(GradedAnswer):
    """The final grade, or a code of why the pair gets none; own words are in the note."""

    noun = "ruling"
    bad = BadRuling


def decide(
    *,
    pair_id: int,
    adjudicator: User,
    ruling: Ruling,
    judgment_ids: tuple[int, int],
    key: uuid.UUID,
    supersedes: uuid.UUID | None = None,
    seconds: float | None = None,
) -> Decision:
    """Decide a case, or change one's own decision on it.

    `judgment_ids` are the two judgments (slot 1, slot 2) that the adjudicator's page showed;
    `supersedes` is the key of his or her own decision on it, None when the case was due. `seconds`
    is the active time.
    The same `key` with the same ruling again returns the first decision.

    Raises:
        BadRuling, NoSuchCase, WaitsForJudges, JudgedByYou, JudgmentsChanged, AlreadyDecided,
        DecidedMeanwhile, DecisionInPublicVersion, KeyReused, CollectionArchived
    """
    submission = _Submission(pair_id, adjudicator.pk, ruling, judgment_ids)
    try:
        with transaction.atomic():
            return _decide(submission, key, supersedes, seconds)
    except IntegrityError as error:
        if PUBLIC_RULE in str(error):
            raise DecisionInPublicVersion(
                "A version of this collection was made public after you decided this pair, so your "
                "decision can no longer change. If it is wrong, ask an admin to have the pair "
                "decided again. Nothing was saved."
            ) from error
        # The key's first decision was on another pair, whose slots this transaction did not lock.
        earlier = Decision.objects.filter(key=key).first()
        if earlier is None:
            raise
        return _same_submission(earlier, submission, cause=error)


class _Submission(NamedTuple):
    """The submission that an idempotency key stands for."""

    pair_id: int
    adjudicator_id: int
    ruling: Ruling
    judgment_ids: tuple[int, int]


def _same_submission(
    earlier: Decision, submission: _Submission, cause: Exception | None = None
) -> Decision:
    earlier_submission = _Submission(
        earlier.pair_id,
        earlier.adjudicator_id,
        Ruling.of(earlier),
        (earlier.first_id, earlier.second_id),
    )
    if earlier_submission != submission:
        raise DecisionKeyReused(
            "This page was already used for another decision, so nothing was saved. Reload it."
        ) from cause
    return earlier


def _decide(
    submission: _Submission,
    key: uuid.UUID,
    supersedes: uuid.UUID | None,
    seconds: float | None,
) -> Decision:
    pair_id, adjudicator_id, ruling, judgment_ids = submission
    # Only the slots are locked: a lock on the collection would come out of order here.
    slots = list(
        Slot.objects.select_for_update(of=("self",))
        .filter(pair_id=pair_id)
        .order_by("number")
        .values_list("annotator_id", flat=True)
    )
    if adjudicator_id in slots or _judged_before(pair_id, adjudicator_id):
        raise JudgedByYou("You judged this pair, so another adjudicator must decide it.")
    # Asked after the lock, because the collection may have been archived meanwhile (ADR 28).
    collection = Collection.objects.filter(queries__pairs=pair_id).first()
    if collection is not None:
        check_not_archived(collection)
        ruling.check(collection.highest_grade)
    earlier = Decision.objects.filter(key=key).first()
    if earlier is not None:
        return _same_submission(earlier, submission)
    case: Any = Case.objects.cases().filter(pk=pair_id).first()
    if case is None:
        raise NoSuchCase(
            "The two judges agree on this pair now, or judge it again, so it needs no decision."
        )
    if case.waits:
        raise WaitsForJudges(
            "A question to the judges of this pair is open, so nothing was saved. Wait for their "
            "answers, or take the question back."
        )
    if judgment_ids != (case.first, case.second):
        raise JudgmentsChanged(
            "A judge revised a judgment of this pair meanwhile, so nothing was saved. "
            "Reload the page to see both judgments."
        )
    _check_standing(case.decision_id, adjudicator_id, supersedes)
    return Decision.objects.create(
        pair_id=pair_id,
        sequence=Decision.objects.filter(pair_id=pair_id).count() + 1,
        adjudicator_id=adjudicator_id,
        first_id=judgment_ids[0],
        second_id=judgment_ids[1],
        grade=ruling.grade,
        reason=ruling.reason,
        note=ruling.note,
        key=key,
        seconds=seconds,
        referral_count=case.referral_count,
    )


def _judged_before(pair_id: int, person_id: int) -> bool:
    """Return whether the person ever judged the pair, which may have two other judges now."""
    return Judgment.objects.filter(slot__pair=pair_id, annotator=person_id).exists()


def _check_standing(
    decision_id: int | None, adjudicator_id: int, supersedes: uuid.UUID | None
) -> None:
    decision = Decision.objects.filter(pk=decision_id).first() if decision_id else None
    if decision is not None and decision.adjudicator_id != adjudicator_id:
        raise AlreadyDecided("Another adjudicator decided this pair first, so nothing was saved.")
    if decision is None and supersedes is not None:
        raise DecidedMeanwhile(
            "An admin sent this pair to adjudication again, so nothing was saved. Reload the page "
            "to read why."
        )
    if (decision.key if decision else None) != supersedes:
        raise DecidedMeanwhile(
            "You decided this case in another window, so nothing was saved. "
            "Reload the page to change your decision."
        )
