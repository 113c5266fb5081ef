"""The pairs that come again, and when. Pure.

A pair comes again once at least DISTANCE other answers of its judge lie between. Which pairs do
follows from the seed, the person and the document, never from grades.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from corpus.ordering import order_key

DISTANCE = 20  # other answers of the person between a pair and its repeat


def chosen(
    docnos: Sequence[str], share: float, *, seed: str, query: str, purpose: str
) -> list[str]:
    """The documents whose pairs come again, of those that a person judges, in judging order.

    Their number is the share, rounded to a whole number, so that both judges of a query have as
    many. The last DISTANCE, or the later half of fewer, are never chosen: they would come again
    too soon. The order is random, so those before them are a random part of the pool, too.
    `purpose` is that of the person and round.
    """
    number = int(share * len(docnos) + 0.5)
    early = docnos[: len(docnos) - min(DISTANCE, len(docnos) // 2)]
    return sorted(early, key=lambda docno: order_key(seed, purpose, query, docno))[:number]


def purpose_of(annotator: str, round_number: int) -> str:
    """The purpose by which a person's repeats of a round are ordered and named."""
    return f"repeat:{round_number}:{annotator}"


def old_pairs_among(
    docnos: Sequence[str], number: int, *, seed: str, query: str, purpose: str
) -> list[str]:
    """`number` of the documents that were judged in earlier pool rounds, or all if they are fewer.

    `purpose` is that of the person and the pool round.
    """
    return sorted(docnos, key=lambda docno: order_key(seed, purpose, query, docno))[:number]


def purpose_among(annotator: str, round_number: int, pool_round: int) -> str:
    """The purpose by which a person's old pairs of a pool round are chosen and named."""
    return f"old-pair:{round_number}:{pool_round}:{annotator}"


class WaitingSlot(NamedTuple):
    """A slot without a judgment, whether it was put off, and the time then as a number.

    With a `repeat`, it is a pair of an earlier pool round that comes where a slot would.
    """

    slot: int
    postponed: float | None = None
    repeat: int | None = None


class WaitingRepeat(NamedTuple):
    """A repeat without a judgment. `place` is that of its pair among the person's answers, from 1.

    It is None until the pair is judged.
    """

    repeat: int
    slot: int
    place: int | None
    postponed: float | None = None


Waiting = WaitingSlot | WaitingRepeat


@dataclass
class _Sitting:
    """The state of a query while its pairs are put in order."""

    answers: int
    repeats: dict[int, WaitingRepeat]  # of pairs that are still to come, by slot
    # Those that can come, in the order of the answers to their pairs: the first is the farthest.
    ready: deque[tuple[int, WaitingRepeat]] = field(default_factory=deque)

    def answer(self, slot: int) -> None:
        self.answers += 1
        if repeat := self.repeats.pop(slot, None):
            self.ready.append((self.answers, repeat))

    def is_due(self) -> bool:
        return bool(self.ready) and self.answers - self.ready[0][0] >= DISTANCE

    def repeat(self) -> WaitingRepeat:
        self.answers += 1
        return self.ready.popleft()[1]


def judging_order(
    slots: Sequence[WaitingSlot],
    repeats: Iterable[WaitingRepeat],
    *,
    answers: int,
    ahead: Collection[int] = (),
    repeats_ahead: int = 0,
) -> Iterator[Waiting]:
    """The order in which a person gets what is left of a query, if he or she judges all of it.

    `slots` are in judging order, those that were put off last. A repeat comes as soon as DISTANCE
    answers lie between, or once no other pair is left; those farthest from their pair come first.
    What was put off comes last, in the order of the times. `answers` is how many the person gave in
    this query. `ahead` are slots that the person's page has already, with `repeats_ahead` repeats:
    they count as judged next, and are left out.
    """
    own = list(repeats)
    first = sorted((r for r in own if r.place is not None), key=lambda r: r.place or 0)
    sitting = _Sitting(
        answers,
        {r.slot: r for r in own if r.place is None and r.postponed is None},
        deque((r.place or 0, r) for r in first if r.postponed is None),
    )
    for slot in slots:
        if slot.slot in ahead:
            sitting.answer(slot.slot)
    sitting.answers += repeats_ahead
    left = [slot for slot in slots if slot.slot not in ahead]
    postponed: list[Waiting] = [slot for slot in left if slot.postponed is not None]
    postponed += [r for r in own if r.postponed is not None]
    for slot in left:
        if slot.postponed is None:
            while sitting.is_due():
                yield sitting.repeat()
            yield slot
            sitting.answer(slot.slot)
    while sitting.ready:
        yield sitting.repeat()
    for waiting in sorted(postponed, key=lambda waiting: waiting.postponed or 0):
        yield waiting
        if isinstance(waiting, WaitingSlot):
            sitting.answer(waiting.slot)
    while sitting.ready:
        yield sitting.repeat()
