"""Claim pairs, renew and end claims. A claim expires 15 minutes after the last sign of its person.

Every service here locks the two slots of the pair first, as a decision does, so a claim and a
decision, or two claims, always come one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from accounts.locking import check_not_archived
from accounts.models import Collection, User
from adjudication.errors import (
    AlreadyDecided,
    ClaimedByAnother,
    JudgedByYou,
    NoSuchCase,
    WaitsForJudges,
)
from adjudication.models import Case, Claim
from adjudication.tiers import check_senior
from annotation.models import Judgment, Slot

CLAIM_MINUTES = 15
LIFETIME = timedelta(minutes=CLAIM_MINUTES)
Found = TypeVar("Found")


def claim_pair(*, pair_id: int, adjudicator: User) -> Claim:
    """Give the pair to the adjudicator, or renew his or her claim.

    A claim of another person that has expired goes over to this one.

    Raises:
        ClaimedByAnother, AlreadyDecided, NoSuchCase, JudgedByYou, NotSenior, CollectionArchived
    """
    with transaction.atomic():
        lock_pair(pair_id, adjudicator.pk)
        collection = Collection.objects.get(queries__pairs=pair_id)
        check_not_archived(collection)
        check_senior(collection, adjudicator)
        _check_waits(pair_id, adjudicator.pk)
        check_not_claimed(pair_id, adjudicator.pk)
        now = timezone.now()
        claim, is_new = Claim.objects.get_or_create(
            pair_id=pair_id,
            defaults={
                "adjudicator": adjudicator,
                "claimed_at": now,
                "expires_at": now + LIFETIME,
            },
        )
        if not is_new:
            if claim.adjudicator_id != adjudicator.pk:
                claim.adjudicator, claim.claimed_at = adjudicator, now
            claim.expires_at = max(now, claim.claimed_at) + LIFETIME
            claim.save(update_fields=["adjudicator", "claimed_at", "expires_at"])
    return claim


def claim_next(
    *, find: Callable[[], Found | None], pair_of: Callable[[Found], int], adjudicator: User
) -> Found | None:
    """Claim the first pair that `find` returns; None if there is none.

    `find` leaves out pairs that others have claimed. Another adjudicator may claim the pair
    between the search and the claim; then it is searched again.
    """
    while (found := find()) is not None:
        try:
            claim_pair(pair_id=pair_of(found), adjudicator=adjudicator)
        except (ClaimedByAnother, AlreadyDecided, NoSuchCase):
            continue
        return found
    return None


def renew_claim(*, pair_id: int, adjudicator_id: int) -> None:
    """Let the person's claim on the pair, if there is one, last as long as a new one."""
    claims = Claim.objects.filter(pair=pair_id, adjudicator=adjudicator_id)
    claims.update(expires_at=timezone.now() + LIFETIME)


def release_claim(*, pair_id: int, adjudicator_id: int) -> None:
    """End the person's claim on the pair, if there is one, so that others are given the pair."""
    Claim.objects.filter(pair=pair_id, adjudicator=adjudicator_id).delete()


def lock_pair(pair_id: int, adjudicator_id: int) -> None:
    """Lock the slots of the pair. No collection's lock: it would come out of order here.

    Raises:
        JudgedByYou: the adjudicator judges the pair, or did before it was opened again.
    """
    slots = list(
        Slot.objects.select_for_update(of=("self",))
        .filter(pair_id=pair_id)
        .order_by("number")
        .values_list("annotator_id", flat=True)
    )
    judged = Judgment.objects.filter(slot__pair=pair_id, annotator=adjudicator_id)
    if adjudicator_id in slots or judged.exists():
        raise JudgedByYou(gettext("You judged this pair, so another adjudicator must decide it."))


def check_not_claimed(pair_id: int, adjudicator_id: int) -> None:
    """Raise ClaimedByAnother while another person's claim lives. Needs the lock of `lock_pair`."""
    live = Claim.objects.live(timezone.now()).filter(pair=pair_id)
    if live.exclude(adjudicator=adjudicator_id).exists():
        raise ClaimedByAnother(
            gettext(
                "Another adjudicator has this pair open, so nothing was saved. Go on with the "
                "next one. If it is not decided, it comes back %(minutes)s minutes after he or "
                "she left it."
            )
            % {"minutes": CLAIM_MINUTES}
        )


def _check_waits(pair_id: int, adjudicator_id: int) -> None:
    pair: Any = Case.objects.to_adjudicate().filter(pk=pair_id).first()
    if pair is None:
        raise NoSuchCase(gettext("This pair needs no answer any more. Go on with the next one."))
    if pair.decision_id is not None:
        raise AlreadyDecided(gettext("This pair is decided. Go on with the next one."))
    if pair.waits:
        raise WaitsForJudges(gettext("This case waits for the answers of its judges."))
