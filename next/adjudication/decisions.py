"""Deciding a case, and sending a settled pair back to the adjudicators."""

from __future__ import annotations

import uuid

from django.db import transaction

from accounts.models import Collection, User
from accounts.services import lock_collection
from adjudication.models import Decision, Reopening
from annotation.judging import LONGEST_SECONDS
from annotation.models import Judgment, Pair, PairState, Slot
from corpus.models import Query
from corpus.ordering import order_key
from web.errors import BadInput, Conflict, NotFound

NO_CASE = "There is no case for you at this address. It may have been settled by its judges."


@transaction.atomic
def decide(
    *,
    adjudicator: User,
    query: Query,
    token: str,
    grade: int | None,
    note: str,
    key: uuid.UUID,
    judgments: set[uuid.UUID],
    replaces: uuid.UUID | None,
    seconds: float | None,
) -> Decision:
    """Append a decision; grade None sets the pair aside.

    The same `key` again returns the first decision. `judgments` are the keys of the two that the page showed, and
    `replaces` that of the decision it showed: where either differs by now, nothing is decided. A note is asked for
    where the grade is neither judgment, and to set a pair aside.
    """
    pair = Pair.objects.select_for_update(of=("self",)).filter(query=query, token=token).first()
    slots = list(Slot.objects.filter(pair=pair).select_related("judgment").order_by("number"))
    is_own = adjudicator.pk in {slot.judge_id for slot in slots}
    # One refusal for all: another one for an own pair would tell its judge whether it became a case.
    if pair is None or is_own or pair.state not in (PairState.CASE, PairState.DECIDED):
        raise NotFound(NO_CASE)
    if earlier := Decision.objects.filter(key=key).first():
        if (earlier.pair_id, earlier.grade, earlier.note) != (pair.pk, grade, note):
            raise Conflict("This submission was used for another decision. Reload the page and decide again.")
        return earlier
    first, second = (judgment_of(slot) for slot in slots)
    if {first.key, second.key} != judgments:
        raise Conflict("A judge changed their judgment after this page was loaded. Look at the case again.")
    current = current_decision(pair)
    if (current.key if current else None) != replaces:
        raise Conflict("This case was decided meanwhile. Look at it again.")
    _check(query.collection, grade, note, (first, second))
    decision = Decision.objects.create(
        collection=query.collection,
        pair=pair,
        adjudicator=adjudicator,
        first=first,
        second=second,
        grade=grade,
        note=note,
        key=key,
        seconds=None if seconds is None else min(max(seconds, 0.0), LONGEST_SECONDS),
    )
    pair.state, pair.final = PairState.DECIDED, grade
    pair.save(update_fields=["state", "final"])
    return decision


def judgment_of(slot: Slot) -> Judgment:
    assert slot.judgment is not None, "a pair has a case only when both its slots are judged"
    return slot.judgment


def current_decision(pair: Pair) -> Decision | None:
    """The decision that counts; None while the pair is not decided."""
    return pair.decisions.order_by("-pk").first() if pair.state == PairState.DECIDED else None


def _check(collection: Collection, grade: int | None, note: str, judgments: tuple[Judgment, Judgment]) -> None:
    if grade is not None and not 0 <= grade <= collection.top_grade:
        raise BadInput(f"A grade is 0 to {collection.top_grade} here, got {grade}.")
    if len(note) > 2000:
        raise BadInput(f"A note has at most 2,000 characters, got {len(note):,}.")
    if note.strip():
        return
    if grade is None:
        raise BadInput("Say in a note why this pair cannot be graded.")
    if grade not in {judgment.grade for judgment in judgments}:
        raise BadInput("Neither judge gave this grade. Say in a note why you overrule both.")


@transaction.atomic
def reopen_pair(*, admin: User, pair: Pair, reason: str) -> Reopening:
    """Send a settled pair to the adjudicators. Its judgments stay, and equal grades do not settle it any more."""
    if not reason.strip():
        raise BadInput("Say why this pair is decided again.")
    collection = lock_collection(pair.query.collection)
    locked = Pair.objects.select_for_update(of=("self",)).get(pk=pair.pk)
    if locked.state not in (PairState.AGREED, PairState.DECIDED):
        raise Conflict("This pair has no label yet, so there is nothing to re-open.")
    locked.state, locked.final, locked.referred = PairState.CASE, None, True
    locked.save(update_fields=["state", "final", "referred"])
    return Reopening.objects.create(collection=collection, pair=locked, admin=admin, reason=reason)


def sides(seed: str, query: str, docno: str, first: Judgment, second: Judgment) -> tuple[Judgment, Judgment]:
    """The two judgments as A and B: in a random order that stays the same for the case."""
    flip = int(order_key(seed, "case-sides", query, docno), 16) % 2
    return (second, first) if flip else (first, second)
