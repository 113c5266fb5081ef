"""Reads what is left of a query for an annotator who has repeats in it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection as Container
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from accounts.models import User
from annotation.models import Repeat, RepeatQuerySet, Slot
from annotation.repeats.choice import WaitingRepeat, WaitingSlot, judging_order


class LeftRow(NamedTuple):
    """A slot or a repeat without a judgment."""

    is_repeat: bool
    pk: int
    token: str


def own_repeats(query_id: int, user: User) -> RepeatQuerySet:
    return Repeat.objects.for_annotator(user).filter(query=query_id).shown()


def left_in_order(
    query_id: int, user: User, *, without: Container[str] = (), count: int
) -> list[LeftRow] | None:
    """The next `count` slots and repeats, without those of these tokens; None without repeats.

    None says that the order is that of the slots.
    """
    rows = list(
        own_repeats(query_id, user)
        .unjudged()
        .order_by()
        .values_list("pk", "slot", "token", "postponed_at", "slot__judgment__created_at")
    )
    if not rows:
        return None
    times = _answer_times(query_id, user)
    tokens: dict[tuple[bool, int], str] = {(True, pk): token for pk, _, token, *_ in rows}
    slots = []
    left = Slot.objects.for_annotator(user).filter(pair__query=query_id).unjudged()
    ordered = left.in_judging_order().values_list("pk", "pair__token", "postponed_at")
    for slot, token, postponed_at in ordered:
        slots.append(WaitingSlot(slot, _number(postponed_at)))
        tokens[False, slot] = token
    repeats = [
        WaitingRepeat(
            pk, slot, bisect_right(times, judged_at) if judged_at else None, _number(postponed_at)
        )
        for pk, slot, token, postponed_at, judged_at in rows
        if token not in without
    ]
    order = judging_order(
        slots,
        repeats,
        answers=len(times),
        ahead={slot for slot, _ in slots if tokens[False, slot] in without},
        repeats_ahead=len(rows) - len(repeats),
    )
    found = []
    for waiting in islice(order, count):
        is_repeat = isinstance(waiting, WaitingRepeat)
        pk = waiting.repeat if isinstance(waiting, WaitingRepeat) else waiting.slot
        found.append(LeftRow(is_repeat, pk, tokens[is_repeat, pk]))
    return found


def _answer_times(query_id: int, user: User) -> list[datetime]:
    """The times of the person's answers in the query: the last one of each slot and repeat."""
    judged = Slot.objects.for_annotator(user).filter(pair__query=query_id).judged()
    times = [
        *judged.order_by().values_list("judgment__created_at", flat=True),
        *own_repeats(query_id, user).judged().values_list("judgment__created_at", flat=True),
    ]
    return sorted(time for time in times if time is not None)


def _number(time: datetime | None) -> float | None:
    return None if time is None else time.timestamp()
