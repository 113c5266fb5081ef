"""Everything that writes blind ratings."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from accounts.locking import check_not_archived
from accounts.models import Collection, User
from adjudication.blind.reading import is_agreed, must_rate_first
from adjudication.claims.services import check_not_claimed, lock_pair, release_claim, renew_claim
from adjudication.errors import (
    AlreadyDecided,
    BlindKeyReused,
    JudgmentsChanged,
    NoSuchCase,
    RatedBlindMeanwhile,
    WaitsForJudges,
)
from adjudication.models import BlindRating, Case
from adjudication.services import Ruling, SubmittedRuling
from adjudication.tiers import check_senior


def rate_blind(
    *,
    pair_id: int,
    adjudicator: User,
    ruling: Ruling,
    judgment_ids: tuple[int, int],
    key: uuid.UUID,
    seconds: float | None = None,
) -> BlindRating:
    """Keep what the adjudicator says of a pair without having seen its two judgments.

    `judgment_ids` are those (slot 1, slot 2) that the page stood for without showing them. After
    a case, the adjudicator sees and decides it; after a spot check, he or she is done with it.
    The same `key` with the same answer again returns the first rating.

    Raises:
        BadRuling, NoSuchCase, JudgedByYou, JudgmentsChanged, AlreadyDecided, ClaimedByAnother,
        RatedBlindMeanwhile, BlindKeyReused, NotSenior, CollectionArchived
    """
    submission = SubmittedRuling(pair_id, adjudicator.pk, ruling, judgment_ids)
    try:
        with transaction.atomic():
            return _rate(submission, adjudicator, key, seconds)
    except IntegrityError as error:
        # The key's first rating was of another pair, whose slots this transaction did not lock.
        earlier = BlindRating.objects.filter(key=key).first()
        if earlier is None:
            raise
        return _same_submission(earlier, submission, cause=error)


def _same_submission(
    earlier: BlindRating, submission: SubmittedRuling, cause: Exception | None = None
) -> BlindRating:
    if SubmittedRuling.of(earlier) != submission:
        raise BlindKeyReused(
            gettext(
                "This page was already used for another grade, so nothing was saved. Reload it."
            )
        ) from cause
    return earlier


def _rate(
    submission: SubmittedRuling, adjudicator: User, key: uuid.UUID, seconds: float | None
) -> BlindRating:
    pair_id, adjudicator_id, ruling, judgment_ids = submission
    lock_pair(pair_id, adjudicator_id)
    collection = Collection.objects.get(queries__pairs=pair_id)
    check_not_archived(collection)
    check_senior(collection, adjudicator)
    ruling.check(collection.highest_grade)
    earlier = BlindRating.objects.filter(key=key).first()
    if earlier is not None:
        return _same_submission(earlier, submission)
    pair: Any = Case.objects.to_adjudicate().filter(pk=pair_id).first()
    # Not why: the pair could come back, and the adjudicator must not know that the judges agree.
    if pair is None:
        raise NoSuchCase(
            gettext("This pair needs no grade of yours any more, so nothing was saved.")
        )
    if judgment_ids != (pair.first, pair.second):
        raise JudgmentsChanged(
            gettext(
                "A judge revised a judgment of this pair meanwhile, so nothing was saved. "
                "Reload the page and give your grade again."
            )
        )
    if pair.decision_id is not None:
        raise AlreadyDecided(
            gettext("Another adjudicator decided this pair first, so nothing was saved.")
        )
    if pair.waits:
        raise WaitsForJudges(
            gettext("This case waits for the answers of its judges. Nothing was saved.")
        )
    is_spot_check = is_agreed(pair)
    if not is_spot_check and not must_rate_first(collection, pair, adjudicator_id):
        raise RatedBlindMeanwhile(
            gettext(
                "You can see both judgments of this pair by now, so your first grade stays and "
                "nothing was saved. Reload the page to decide."
            )
        )
    check_not_claimed(pair_id, adjudicator_id)
    go_on = release_claim if is_spot_check else renew_claim
    go_on(pair_id=pair_id, adjudicator_id=adjudicator_id)
    return BlindRating.objects.create(
        pair_id=pair_id,
        adjudicator_id=adjudicator_id,
        first_id=judgment_ids[0],
        second_id=judgment_ids[1],
        is_spot_check=is_spot_check,
        grade=ruling.grade,
        reason=ruling.reason,
        note=ruling.note,
        key=key,
        seconds=seconds,
    )
