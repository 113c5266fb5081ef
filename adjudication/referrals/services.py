"""Send judged pairs to the adjudicator, or open them for two judges again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from django.db import IntegrityError, transaction
from django.db.models import Q

from accounts.actions.kinds import ActionKind, SubjectKind
from accounts.actions.services import record_action
from accounts.actions.subjects import about
from accounts.locking import lock_collection
from accounts.models import Collection, User
from adjudication.models import Case, Recipient, Referral
from annotation.models import Pair, PairCount, Slot, SlotCount
from annotation.services import (
    CannotReassign,
    check_seat_holder,
    fault_of_reason,
    places,
    reassign_seat,
)
from corpus.models import Query
from web.errors import UserFacingError

IN_STUDY = "referral_of_a_pair_in_a_study"  # a trigger's name


class ReferralError(UserFacingError):
    """A pair that cannot be decided again as asked. The message is for the admin.

    `field` is the field of the form that is wrong, or "".
    """

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class NoSuchPair(ReferralError):
    """The query or the document is unknown, or the document is not a candidate to judge of it."""


class CannotRefer(ReferralError):
    """The state of the pair, its judges or a study forbids it."""

    status: ClassVar[int] = 409


def refer_pair(
    *,
    collection: Collection,
    query: str,
    docno: str,
    recipient: str,
    reason: str,
    referred_by: User | None,
    annotators: Mapping[int, User] | None = None,
) -> Referral:
    """Have a pair with two judgments decided again.

    By the adjudicator: it is a case until he or she decides it, also if both grades are equal; an
    earlier decision no longer stands. By two judges: the people of the query's seats 1 and 2 find
    the pair unjudged, and see nothing of the earlier judgments. `annotators` are people to give a
    seat to first, by its number; they take over all its unjudged pairs.

    Raises:
        NoSuchPair: the query has no such pair.
        CannotRefer: the pair does not have two judgments, is due already, or has no two judges.
        ReferralError: the reason is empty or too long.
        CollectionArchived
    """
    reason = _checked_reason(reason)
    if annotators and recipient != Recipient.JUDGES:
        raise ReferralError(
            "The adjudicator decides this pair, so no annotators are named. Leave them empty.",
            field=f"annotator_{min(annotators)}",
        )
    try:
        with transaction.atomic():
            lock_collection(collection)
            pair = _pair(collection, query, docno)
            first, second = _judgments(pair, handed_over=annotators or {})
            if recipient == Recipient.ADJUDICATOR:
                _check_not_due(pair)
            _lock_counts(pair.query)
            referral = Referral.objects.create(
                pair=pair,
                recipient=recipient,
                reason=reason,
                first_id=first,
                second_id=second,
                referred_by=referred_by,
            )
            if recipient == Recipient.JUDGES:
                _give_to_seats(pair, annotators or {})
            record_action(
                kind=ActionKind.PAIR_REFERRED,
                collection=collection,
                subject=about(SubjectKind.PAIR, pair.pk, f"{query} {docno}"),
                details={"recipient": str(recipient), "reason": reason},
                by=referred_by,
            )
    except IntegrityError as error:
        if IN_STUDY not in str(error):
            raise
        raise CannotRefer(
            f"{query} {docno} is in a full-text study, whose rater read both papers in full, so it "
            "cannot be judged blind again. Send it to the adjudicator instead."
        ) from error
    return referral


def _checked_reason(reason: str) -> str:
    reason = reason.strip()
    if fault := fault_of_reason(reason, "why the pair is decided again"):
        raise ReferralError(fault, field="reason")
    return reason


def _pair(collection: Collection, name: str, docno: str) -> Pair:
    query = collection.queries.filter(name=name).first()
    if query is None:
        raise NoSuchPair(
            f'{collection} has no query "{name}". Enter its id as in the qrels.',
            field="query",
        )
    pair = query.pairs.filter(candidate__document__docno=docno).first()
    if pair is None:
        raise NoSuchPair(
            f'"{docno}" has no pair with {name}. Enter the id of a document that was judged for '
            "this query.",
            field="docno",
        )
    pair.query = query
    return pair


def _judgments(pair: Pair, handed_over: Iterable[int]) -> tuple[int, int]:
    """The judgments in both slots, which are locked.

    So are the unjudged slots of seats that are handed over, before any counts: an annotator who
    judges has a slot first and the counts then.
    """
    moved = Q(pair__query=pair.query, number__in=list(handed_over), judgment=None)
    slots = Slot.objects.select_for_update(of=("self",)).filter(Q(pair=pair) | moved).order_by("pk")
    of_pair = {slot.number: slot.judgment_id for slot in slots if slot.pair_id == pair.pk}
    first, second = of_pair[1], of_pair[2]
    if first is None or second is None:
        raise CannotRefer(
            f"{pair.query.name} {_docno(pair)} does not have two judgments yet, so its two judges "
            "decide it. Wait until both have judged it."
        )
    return first, second


def _check_not_due(pair: Pair) -> None:
    if Case.objects.undecided().filter(pk=pair.pk).exists():
        raise CannotRefer(
            f"{pair.query.name} {_docno(pair)} waits for the adjudicator already. Nothing changed."
        )


def _lock_counts(query: Query) -> None:
    """Lock the counts of the query in the order in which a judgment does.

    Without this, the triggers would lock the counts of slot 2 after those of the pair, and an
    annotator who judges another pair meanwhile locks them the other way round.
    """
    for counts in (SlotCount.objects.order_by("pk"), PairCount.objects.order_by("pk")):
        list(counts.select_for_update().filter(query=query).values_list("pk"))


def _give_to_seats(pair: Pair, annotators: Mapping[int, User]) -> None:
    """Give both slots to the people of the seats, new ones or those who have them."""
    query = pair.query
    opening = query.opening
    seats = {seat.number: seat for seat in opening.seats.select_related("annotator")}
    for slot in Slot.objects.filter(pair=pair).order_by("number"):
        annotator = annotators.get(slot.number)
        seat = seats[slot.number]
        try:
            if annotator is not None and annotator != seat.annotator:
                reassign_seat(opening=opening, number=slot.number, annotator=annotator)
            else:
                check_seat_holder(query, seat)
                _hand_over(slot, query, seat.annotator)
        except CannotReassign as error:
            raise CannotRefer(str(error), field=f"annotator_{slot.number}") from error


def _hand_over(slot: Slot, query: Query, annotator: User) -> None:
    """Give the empty slot to the person who has its seat by now."""
    if slot.annotator_id == annotator.pk:
        return
    slot.annotator = annotator
    slot.position = places(query, annotator)[slot.pair_id]
    try:
        with transaction.atomic():
            slot.save(update_fields=["annotator", "position"])
    except IntegrityError as error:
        raise CannotReassign(
            f"{annotator} has slot {slot.number} of {query.name}, but judged or decided this pair "
            "before. Name another annotator for this slot."
        ) from error


def _docno(pair: Pair) -> str:
    return pair.candidate.document.docno
