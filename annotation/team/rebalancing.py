"""Share the work of open queries again when people join or leave. No judgment moves."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F, Q

from accounts.locking import lock_collection
from accounts.models import Collection, User
from annotation.models import Opening, Seat, SlotCount
from annotation.qualifications.standing import adjudicating_seniors
from annotation.services import reassign_seat
from annotation.sharing import (
    Rebalancing,
    SeatMove,
    SeatWork,
    rebalance,
)
from annotation.team.exclusions import excluded_people
from annotation.team.plans import (
    AT_ONCE,
    PersonPlan,
    PlanChanged,
    change_in_steps,
    people_named,
    request_job,
)
from corpus.digests import json_digest
from jobs.context import JobContext
from jobs.models import Job

REBALANCING_KIND = "rebalance_seats"


@dataclass(frozen=True)
class RebalancingPlan:
    """The seats that change hands, and the pairs that each person has left before and after."""

    found: Rebalancing
    rows: Sequence[PersonPlan]

    @property
    def digest(self) -> str:
        return json_digest([list(move) for move in self.found.moves])

    @property
    def pairs(self) -> int:
        return sum(move.pairs for move in self.found.moves)

    @property
    def is_long(self) -> bool:
        return len(self.found.moves) > AT_ONCE


def plan_rebalancing(*, collection: Collection, annotators: Sequence[User]) -> RebalancingPlan:
    """Share the unjudged pairs of all open queries among these people. No judgment moves.

    A row's queries and pairs are those that the person takes over.
    """
    seats = _seats(collection)
    found = rebalance(seats, [user.username for user in annotators], seed=collection.seed)
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    for seat in seats:
        before[seat.annotator] += seat.remaining
        after[seat.annotator] += seat.remaining
    holder = {seat.key: seat.annotator for seat in seats}
    taken: dict[str, list[SeatMove]] = defaultdict(list)
    for move in found.moves:
        after[holder[move.query, move.number]] -= move.pairs
        after[move.annotator] += move.pairs
        taken[move.annotator].append(move)
    names = {name for name, left in before.items() if left} | {u.username for u in annotators}
    rows = [
        PersonPlan(
            annotator=user,
            queries=len(taken[name]),
            pairs=sum(move.pairs for move in taken[name]),
            left_before=before[name],
            left_after=after[name],
        )
        for name, user in sorted(people_named(names).items())
    ]
    return RebalancingPlan(found, rows)


def _seats(collection: Collection) -> list[SeatWork]:
    """The seats with unjudged pairs, from the kept counts."""
    in_slot: dict[tuple[int, int], list[tuple[str, int, int]]] = defaultdict(list)
    # A judge of a pair that was opened again may have no slot of the query left.
    took_part = Q(total__gt=0) | Q(latest_at__isnull=False)
    counts = SlotCount.objects.filter(took_part, query__collection=collection).order_by()
    for query, number, username, judged, total in counts.values_list(
        "query", "number", "annotator__username", "judged", "total"
    ):
        in_slot[query, number].append((username, judged, total))
    excluded = excluded_people(collection)
    # They keep the seats that they have, and take no other.
    seniors = set(
        User.objects.filter(pk__in=adjudicating_seniors(collection)).values_list(
            "username", flat=True
        )
    )
    rows = Seat.objects.filter(opening__query__collection=collection).order_by()
    seats = {
        (query, number): (name, paper, username)
        for query, name, paper, number, username in rows.values_list(
            "opening__query",
            "opening__query__name",
            "opening__query__query_paper",
            "number",
            "annotator__username",
        )
    }
    found = []
    for (query, number), (name, paper, username) in seats.items():
        slots, others = in_slot[query, number], in_slot[query, 3 - number]
        judged = sum(judged for _, judged, _ in slots)
        found.append(
            SeatWork(
                query=name,
                number=number,
                annotator=username,
                judged=judged,
                remaining=sum(total for *_, total in slots) - judged,
                barred=frozenset(
                    {person for person, *_ in others} | excluded[paper] | seniors - {username}
                ),
            )
        )
    return sorted(found)


def rebalance_seats(*, collection: Collection, annotators: Sequence[User], digest: str = "") -> int:
    """Move the seats as planned, all or none; returns the number of moved pairs.

    Raises:
        CannotReassign: as `reassign_seat`.
        PlanChanged: the plan has changed.
    """
    with transaction.atomic():
        lock_collection(collection)
        plan = plan_rebalancing(collection=collection, annotators=annotators)
        if digest and plan.digest != digest:
            raise PlanChanged
        people = {user.username: user for user in annotators}
        return sum(_move(collection, move, people) for move in plan.found.moves)


def _move(collection: Collection, move: SeatMove, people: Mapping[str, User]) -> int:
    """Do nothing if the person has the seat already, or all its pairs are judged by now."""
    opening = Opening.objects.select_related("query__collection").get(
        query__collection=collection, query__name=move.query
    )
    seat = opening.seats.get(number=move.number)
    unjudged = SlotCount.objects.filter(
        query=opening.query_id, number=move.number, judged__lt=F("total")
    )
    if seat.annotator_id == people[move.annotator].pk or not unjudged.exists():
        return 0
    return reassign_seat(opening=opening, number=move.number, annotator=people[move.annotator])


def request_rebalancing(
    *, collection: Collection, plan: RebalancingPlan, requested_by: User | None
) -> Job:
    """Queue a job that moves the seats as planned, some at a time.

    Raises:
        InProgress: another such job has not ended.
    """
    moves = [list(move) for move in plan.found.moves]
    return request_job(REBALANCING_KIND, collection, {"moves": moves}, requested_by)


def rebalance_as_planned(
    *, collection: Collection, moves: Sequence[SeatMove], work: JobContext
) -> dict[str, Any]:
    """Move the seats that have unjudged pairs, a few in each transaction.

    Raises:
        CannotReassign: as `reassign_seat`. The moves before it stay.
    """
    people = people_named(move.annotator for move in moves)
    pairs = 0

    def move_one(move: SeatMove) -> None:
        nonlocal pairs
        pairs += _move(collection, move, people)

    change_in_steps(moves, move_one, collection, work, "seats reassigned")
    return {"pairs": pairs}
