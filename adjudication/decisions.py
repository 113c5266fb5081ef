"""Deciding a case, and sending a settled pair back to the adjudicators."""

from __future__ import annotations

import uuid

from django.db import transaction

from accounts.models import Collection, User, Verb
from accounts.record import record
from accounts.services import lock_collection
from adjudication.models import Decision, Reopening
from annotation.judging import LONGEST_SECONDS
from annotation.models import Judgment, Pair, PairState, Slot
from corpus.models import Query
from web.errors import BadInput, Conflict, NotFound

NO_CASE = "There is no case for you at this address. It may have been settled meanwhile."
LONGEST_TEXT = 2000  # characters of a note or a reason


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

    The same `key` again returns the first decision, whatever became of the pair since. `judgments` are the keys of the
    two that the page showed, and `replaces` that of the decision it showed: where either differs by now, nothing is
    decided. A decision of another adjudicator changes only after an admin re-opened the pair. A note is asked for
    where neither judge said the same.
    """
    pair = Pair.objects.select_for_update(of=("self",)).filter(query=query, token=token).first()
    slots = list(Slot.objects.filter(pair=pair).select_related("judgment").order_by("number"))
    # One refusal for all, before all others: another one for an own pair would tell its judge whether it is a case.
    if pair is None or adjudicator.pk in {slot.judge_id for slot in slots}:
        raise NotFound(NO_CASE)
    if earlier := Decision.objects.filter(key=key).first():
        submitted = (pair.pk, adjudicator.pk, grade, note)
        if (earlier.pair_id, earlier.adjudicator_id, earlier.grade, earlier.note) != submitted:
            raise Conflict("This submission was used for another decision. Reload the page and decide again.")
        return earlier
    if pair.state not in (PairState.CASE, PairState.DECIDED):
        raise NotFound(NO_CASE)
    first, second = (judgment_of(slot) for slot in slots)
    current = current_decision(pair)
    if current and current.adjudicator_id != adjudicator.pk:
        raise Conflict("Another adjudicator decided this case meanwhile. An admin can re-open it.")
    if {first.key, second.key} != judgments:
        raise Conflict("A judge changed their judgment after this page was loaded. Look at the case again.")
    if (current.key if current else None) != replaces:
        raise Conflict("This case was decided or re-opened meanwhile. Look at it again.")
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
    if len(note) > LONGEST_TEXT:
        raise BadInput(f"A note has at most {LONGEST_TEXT:,} characters, got {len(note):,}.")
    if note.strip() or grade in {judgment.grade for judgment in judgments}:
        return
    if grade is None:
        raise BadInput("Both judges gave a grade. Say in a note why this pair gets none.")
    raise BadInput("Neither judge gave this grade. Say in a note why you overrule both.")


@transaction.atomic
def reopen_pair(*, admin: User, pair: Pair, reason: str) -> Reopening:
    """Send a settled pair to the adjudicators. Its judgments stay, and equal grades do not settle it any more."""
    if not reason.strip():
        raise BadInput("Say why this pair is decided again.")
    if len(reason) > LONGEST_TEXT:
        raise BadInput(f"A reason has at most {LONGEST_TEXT:,} characters, got {len(reason):,}.")
    collection = lock_collection(pair.query.collection)
    locked = Pair.objects.select_for_update(of=("self",)).get(pk=pair.pk)
    if locked.state not in (PairState.AGREED, PairState.DECIDED):
        raise Conflict("This pair has no label now, so there is nothing to re-open.")
    locked.state, locked.final, locked.referred = PairState.CASE, None, True
    locked.save(update_fields=["state", "final", "referred"])
    record(Verb.REOPENED, collection=collection, object=f"{pair.query.name} × {pair.document.docno}", by=admin)
    return Reopening.objects.create(collection=collection, pair=locked, admin=admin, reason=reason)
