"""Everything that writes decisions."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.utils.translation import gettext, gettext_noop

from accounts.locking import check_not_archived
from accounts.models import Collection, User
from adjudication.blind.reading import must_rate_first
from adjudication.claims.services import check_not_claimed, lock_pair, release_claim
from adjudication.errors import (
    AlreadyDecided,
    BadRuling,
    DecidedMeanwhile,
    DecisionInPublicVersion,
    DecisionKeyReused,
    JudgmentsChanged,
    NoSuchCase,
    NotRatedBlind,
    WaitsForJudges,
)
from adjudication.models import BlindRating, Case, Decision
from adjudication.tiers import check_senior
from annotation.services import GradedAnswer

PUBLIC_RULE = "decision_of_public_version_stays"  # a trigger of `release`, which has the versions


@dataclass(frozen=True)
class Ruling(GradedAnswer):
    """The final grade, or a code of why the pair gets none; own words are in the note."""

    noun = "ruling"
    without_grade = gettext_noop(
        "The ruling has no grade. Give a grade from 0 to %(highest)s or a reason."
    )
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
        NotSenior, BadRuling, NoSuchCase, WaitsForJudges, JudgedByYou, JudgmentsChanged,
        AlreadyDecided, DecidedMeanwhile, DecisionInPublicVersion, DecisionKeyReused,
        ClaimedByAnother, NotRatedBlind, CollectionArchived
    """
    submission = SubmittedRuling(pair_id, adjudicator.pk, ruling, judgment_ids)
    try:
        with transaction.atomic():
            return _decide(submission, adjudicator, key, supersedes, seconds)
    except IntegrityError as error:
        if PUBLIC_RULE in str(error):
            raise DecisionInPublicVersion(
                gettext(
                    "A version of this collection was made public after you decided this pair, "
                    "so your decision can no longer change. If it is wrong, ask an admin to have "
                    "the pair decided again. Nothing was saved."
                )
            ) from error
        # The key's first decision was on another pair, whose slots this transaction did not lock.
        earlier = Decision.objects.filter(key=key).first()
        if earlier is None:
            raise
        return _same_submission(earlier, submission, cause=error)


class SubmittedRuling(NamedTuple):
    """The submission that an idempotency key stands for: a decision or a blind rating."""

    pair_id: int
    adjudicator_id: int
    ruling: Ruling
    judgment_ids: tuple[int, int]

    @classmethod
    def of(cls, row: Decision | BlindRating) -> SubmittedRuling:
        ids = (row.first_id, row.second_id)
        return cls(row.pair_id, row.adjudicator_id, Ruling.of(row), ids)


def _same_submission(
    earlier: Decision, submission: SubmittedRuling, cause: Exception | None = None
) -> Decision:
    if SubmittedRuling.of(earlier) != submission:
        raise DecisionKeyReused(
            gettext(
                "This page was already used for another decision, so nothing was saved. Reload it."
            )
        ) from cause
    return earlier


def _decide(
    submission: SubmittedRuling,
    adjudicator: User,
    key: uuid.UUID,
    supersedes: uuid.UUID | None,
    seconds: float | None,
) -> Decision:
    pair_id, adjudicator_id, ruling, judgment_ids = submission
    lock_pair(pair_id, adjudicator_id)
    # Asked after the lock, because the collection may have been archived meanwhile (ADR 28).
    collection = Collection.objects.filter(queries__pairs=pair_id).first()
    if collection is not None:
        check_not_archived(collection)
        check_senior(collection, adjudicator)
        ruling.check(collection.highest_grade)
    earlier = Decision.objects.filter(key=key).first()
    if earlier is not None:
        return _same_submission(earlier, submission)
    case: Any = Case.objects.cases().filter(pk=pair_id).first()
    if case is None:
        raise NoSuchCase(
            gettext(
                "The two judges agree on this pair now, or judge it again, so it needs no decision."
            )
        )
    if case.waits:
        raise WaitsForJudges(
            gettext(
                "A question to the judges of this pair is open, so nothing was saved. Wait for "
                "their answers, or take the question back."
            )
        )
    if judgment_ids != (case.first, case.second):
        raise JudgmentsChanged(
            gettext(
                "A judge revised a judgment of this pair meanwhile, so nothing was saved. "
                "Reload the page to see both judgments."
            )
        )
    _check_standing(case.decision_id, adjudicator_id, supersedes)
    check_not_claimed(pair_id, adjudicator_id)
    if must_rate_first(collection, case, adjudicator_id):
        raise NotRatedBlind(
            gettext(
                "In this collection you grade a case before you see the two judgments, so "
                "nothing was saved. Reload the page and give your grade."
            )
        )
    release_claim(pair_id=pair_id, adjudicator_id=adjudicator_id)
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


def _check_standing(
    decision_id: int | None, adjudicator_id: int, supersedes: uuid.UUID | None
) -> None:
    decision = Decision.objects.filter(pk=decision_id).first() if decision_id else None
    if decision is not None and decision.adjudicator_id != adjudicator_id:
        raise AlreadyDecided(
            gettext("Another adjudicator decided this pair first, so nothing was saved.")
        )
    if decision is None and supersedes is not None:
        raise DecidedMeanwhile(
            gettext(
                "An admin sent this pair to adjudication again, so nothing was saved. Reload the "
                "page to read why."
            )
        )
    if (decision.key if decision else None) != supersedes:
        raise DecidedMeanwhile(
            gettext(
                "You decided this case in another window, so nothing was saved. "
                "Reload the page to change your decision."
            )
        )
