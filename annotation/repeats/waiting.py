"""Reads what is left of a query for an annotator who has repeats in it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection as Container
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from accounts.models import User
from annotation.models import Repeat, RepeatQuerySet, Slot
from annotation.repeats.choice import Waiting, WaitingRepeat, WaitingSlot, judging_order


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
        .values_list(
            *("pk", "slot", "token", "postponed_at", "slot__judgment__created_at", "position")
        )
    )
    if not rows:
        return None
    times = _answer_times(query_id, user)
    tokens: dict[tuple[bool, int], str] = {(True, pk): token for pk, _, token, *_ in rows}
    placed: list[tuple[float, int, WaitingSlot]] = []  # old pairs stand among the slots
    left = Slot.objects.for_annotator(user).filter(pair__query=query_id).unjudged()
    columns = ("pk", "pair__token", "postponed_at", "position")
    for slot, token, postponed_at, position in left.order_by().values_list(*columns):
        postponed = _number(postponed_at)
        placed.append((postponed or 0, position, WaitingSlot(slot, postponed)))
        tokens[False, slot] = token
    repeats, repeats_ahead = [], 0
    for pk, slot, token, postponed_at, judged_at, position in rows:
        postponed = _number(postponed_at)
        if position is not None:
            placed.append((postponed or 0, position, WaitingSlot(slot, postponed, pk)))
        elif token in without:
            repeats_ahead += 1
        else:
            place = bisect_right(times, judged_at) if judged_at else None
            repeats.append(WaitingRepeat(pk, slot, place, postponed))
    slots = [waiting for *_, waiting in sorted(placed)]
    order = judging_order(
        slots,
        repeats,
        answers=len(times),
        ahead={waiting.slot for waiting in slots if tokens[_key(waiting)] in without},
        repeats_ahead=repeats_ahead,
    )
    keys = (_key(waiting) for waiting in islice(order, count))
    return [LeftRow(*key, tokens[key]) for key in keys]


def _key(waiting: Waiting) -> tuple[bool, int]:
    """True for a repeat, and the primary key of the repeat or slot."""
    if waiting.repeat is None:
        return False, waiting.slot
    return True, waiting.repeat


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
