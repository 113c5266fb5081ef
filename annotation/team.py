"""Open queries for a team, and share the work again when people join or leave.

What a person sees before it is done is a plan. It is done under the collection's lock, and only if
the plan is still the same then.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import F, Sum

from accounts.locking import lock_collection
from accounts.models import Collection, User
from annotation.models import Exclusion, Opening, PairCount, Seat, SlotCount
from annotation.services import CannotOpen, JudgingError, open_query, reassign_seat
from annotation.sharing import (
    Assignment,
    Couple,
    Load,
    Move,
    NoCouple,
    QueryWork,
    Rebalancing,
    SeatWork,
    assign,
    rebalance,
)
from corpus.digests import json_digest
from corpus.models import Query, QueryPaper
from jobs.context import JobContext
from jobs.models import Job
from jobs.services import enqueue
from pooling.models import Pool

OPENING_KIND, REBALANCING_KIND = "open_queries", "rebalance_seats"
AT_ONCE = 50  # queries or seats that a request changes by itself; more of them are a job
STEP = 10  # queries or seats that a job changes in one transaction


class PlanChanged(JudgingError):
    """The work or the people changed since the plan was shown."""

    status = 409

    def __init__(self) -> None:
        super().__init__(
            "Nothing was changed, because the queries, the people or their work changed since you "
            "saw this plan. Check the new plan and confirm it."
        )


class InProgress(JudgingError):
    """A job of the same kind has not ended."""

    status = 409

    def __init__(self) -> None:
        super().__init__(
            "Nothing was changed, because an earlier job of this kind is in progress. Wait until "
            "it ends, or cancel it."
        )


class CannotExclude(JudgingError):
    """The exclusion contradicts a seat, or names an unknown query paper."""

    status = 409


class PersonPlan(NamedTuple):
    """One annotator in a plan. Pairs are unjudged ones: what is left now, and afterwards."""

    annotator: User
    queries: int
    pairs: int
    left_before: int
    left_after: int


class SharedPairs(NamedTuple):
    first: User
    second: User
    pairs: int


# Opening


@dataclass(frozen=True)
class OpeningPlan:
    """Two annotators for each query. `pairs` is by query, `load` is what everyone has already."""

    assignments: Sequence[Assignment]
    pairs: Mapping[str, int]
    people: Mapping[str, User]
    load: Load

    @property
    def digest(self) -> str:
        return json_digest([list(assignment) for assignment in self.assignments])

    @property
    def total_pairs(self) -> int:
        return sum(self.pairs.values())

    @property
    def is_long(self) -> bool:
        return len(self.assignments) > AT_ONCE

    @property
    def rows(self) -> list[PersonPlan]:
        queries: Counter[str] = Counter()
        pairs: Counter[str] = Counter()
        for assignment in self.assignments:
            for person in assignment.couple:
                queries[person] += 1
                pairs[person] += self.pairs[assignment.query]
        return [
            PersonPlan(
                annotator=user,
                queries=queries[name],
                pairs=pairs[name],
                left_before=self.load.people[name],
                left_after=self.load.people[name] + pairs[name],
            )
            for name, user in self.people.items()
        ]

    @property
    def shared(self) -> list[SharedPairs]:
        """What every two people share afterwards, for a team of more than two."""
        couples: Counter[Couple] = Counter(self.load.couples)
        for assignment in self.assignments:
            couples[assignment.couple] += self.pairs[assignment.query]
        return [
            SharedPairs(
                self.people[first], self.people[second], couples[frozenset((first, second))]
            )
            for first, second in combinations(self.people, 2)
        ]


def plan_opening(
    *, collection: Collection, queries: Sequence[Query], annotators: Sequence[User]
) -> OpeningPlan:
    """Who gets which of the queries, so that loads and shared work are even.

    Raises:
        CannotOpen: fewer than two annotators, or fewer than two that a query's exclusions allow.
    """
    people = {user.username: user for user in sorted(annotators, key=lambda user: user.username)}
    if len(people) < 2:
        raise CannotOpen("Every query needs two annotators. Choose at least two people.")
    pools = dict(
        Pool.objects.filter(query_paper__queries__in=queries)
        .order_by()
        .values_list("query_paper", "to_judge")
    )
    pairs = {query.name: pools.get(query.query_paper_id, 0) for query in queries}
    load = load_of(collection, people.values())
    try:
        assignments = assign(
            [QueryWork(name, count) for name, count in pairs.items()],
            people,
            load=load,
            excluded=_excluded(queries),
            seed=collection.seed,
        )
    except NoCouple as error:
        raise CannotOpen(
            f"Fewer than two of these people may judge {error.query}. Choose more people, leave "
            "the query out, or remove an exclusion."
        ) from error
    return OpeningPlan(assignments, pairs, people, load)


def load_of(collection: Collection, annotators: Iterable[User]) -> Load:
    """The unjudged pairs of each person, and all pairs of the queries that every two share."""
    names = {user.pk: user.username for user in annotators}
    left = (
        SlotCount.objects.filter(query__collection=collection, annotator__in=names)
        .order_by()
        .values_list("annotator")
        .annotate(left=Sum(F("total") - F("judged")))
    )
    load = Load(Counter({names[annotator]: count for annotator, count in left}))
    people_of: dict[int, set[str]] = defaultdict(set)
    seats = Seat.objects.filter(opening__query__collection=collection, annotator__in=names)
    for query, annotator in seats.order_by().values_list("opening__query", "annotator"):
        people_of[query].add(names[annotator])
    shared = {query: frozenset(people) for query, people in people_of.items() if len(people) == 2}
    counts = PairCount.objects.filter(query__collection=collection).order_by()
    for query, total in counts.values_list("query", "total"):
        if query in shared:
            load.couples[shared[query]] += total
    return load


def _excluded(queries: Sequence[Query]) -> set[tuple[str, str]]:
    """As (username, name of a query)."""
    people: dict[int, list[str]] = defaultdict(list)
    rows = Exclusion.objects.filter(query_paper__queries__in=queries).distinct().order_by()
    for paper, username in rows.values_list("query_paper", "annotator__username"):
        people[paper].append(username)
    return {(person, query.name) for query in queries for person in people[query.query_paper_id]}


def open_for_team(
    *,
    collection: Collection,
    queries: Sequence[Query],
    annotators: Sequence[User],
    opened_by: User | None,
    digest: str = "",
) -> list[Opening]:
    """Open all of the queries for the team, or none of them.

    `digest` is that of the plan that was shown, if one was.

    Raises:
        CannotOpen: as `open_query` and `plan_opening`.
        PlanChanged: the plan is another one now.
    """
    with transaction.atomic():
        lock_collection(collection)
        plan = plan_opening(collection=collection, queries=queries, annotators=annotators)
        if digest and plan.digest != digest:
            raise PlanChanged
        by_name = {query.name: query for query in queries}
        return [
            open_query(
                query=by_name[assignment.query],
                annotators=(plan.people[assignment.first], plan.people[assignment.second]),
                opened_by=opened_by,
            )
            for assignment in plan.assignments
        ]


def request_opening(*, collection: Collection, plan: OpeningPlan, requested_by: User | None) -> Job:
    """Queue a job that opens the queries as planned, some at a time.

    Raises:
        InProgress: another such job has not ended.
    """
    rows = [list(assignment) for assignment in plan.assignments]
    return _request(OPENING_KIND, collection, {"assignments": rows}, requested_by)


def _request(
    kind: str, collection: Collection, parameters: dict[str, Any], requested_by: User | None
) -> Job:
    job = enqueue(
        kind=kind, collection=collection, parameters=parameters, requested_by=requested_by
    )
    if job.parameters != parameters:
        raise InProgress
    return job


def open_as_planned(
    *,
    collection: Collection,
    assignments: Sequence[Assignment],
    opened_by: User | None,
    work: JobContext,
) -> dict[str, Any]:
    """Open the queries that are not open yet, a few in each transaction.

    A query of the plan that was opened meanwhile stays as it is, so a killed job can run again.

    Raises:
        CannotOpen: as `open_query`. The queries before it stay open.
    """
    people = _people(name for assignment in assignments for name in assignment.couple)
    opened = 0

    def open_one(assignment: Assignment) -> None:
        nonlocal opened
        query = collection.queries.filter(name=assignment.query, opening=None).first()
        if query is not None:
            annotators = (people[assignment.first], people[assignment.second])
            open_query(query=query, annotators=annotators, opened_by=opened_by)
            opened += 1

    _in_steps(assignments, open_one, collection, work, "queries opened")
    return {"opened": opened}


def _people(usernames: Iterable[str]) -> dict[str, User]:
    return {user.username: user for user in User.objects.filter(username__in=set(usernames))}


def _in_steps(
    items: Sequence[Any],
    change: Callable[[Any], None],
    collection: Collection,
    work: JobContext,
    note: str,
) -> None:
    for start in range(0, len(items), STEP):
        work.progress(start, len(items), note)
        with work.fenced():
            lock_collection(collection)
            for item in items[start : start + STEP]:
                change(item)


# Joins and leaves


@dataclass(frozen=True)
class RebalancingPlan:
    """Which seats go to whom, and what everyone has left before and after."""

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
    taken: dict[str, list[Move]] = defaultdict(list)
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
        for name, user in sorted(_people(names).items())
    ]
    return RebalancingPlan(found, rows)


def _seats(collection: Collection) -> list[SeatWork]:
    """The seats with unjudged pairs, from the kept counts."""
    in_slot: dict[tuple[int, int], list[tuple[str, int, int]]] = defaultdict(list)
    counts = SlotCount.objects.filter(query__collection=collection, total__gt=0).order_by()
    for query, number, username, judged, total in counts.values_list(
        "query", "number", "annotator__username", "judged", "total"
    ):
        in_slot[query, number].append((username, judged, total))
    excluded: dict[int, set[str]] = defaultdict(set)
    exclusions = Exclusion.objects.filter(query_paper__collection=collection).order_by()
    for paper, username in exclusions.values_list("query_paper", "annotator__username"):
        excluded[paper].add(username)
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
                barred=frozenset({person for person, *_ in others} | excluded[paper]),
            )
        )
    return sorted(found)


def rebalance_seats(*, collection: Collection, annotators: Sequence[User], digest: str = "") -> int:
    """Move the seats as planned, all or none; returns the number of moved pairs.

    Raises:
        CannotReassign: as `reassign_seat`.
        PlanChanged: the plan is another one now.
    """
    with transaction.atomic():
        lock_collection(collection)
        plan = plan_rebalancing(collection=collection, annotators=annotators)
        if digest and plan.digest != digest:
            raise PlanChanged
        people = {user.username: user for user in annotators}
        return sum(_move(collection, move, people) for move in plan.found.moves)


def _move(collection: Collection, move: Move, people: Mapping[str, User]) -> int:
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
    return _request(REBALANCING_KIND, collection, {"moves": moves}, requested_by)


def rebalance_as_planned(
    *, collection: Collection, moves: Sequence[Move], work: JobContext
) -> dict[str, Any]:
    """Move the seats that have unjudged pairs, a few in each transaction.

    Raises:
        CannotReassign: as `reassign_seat`. The moves before it stay.
    """
    people = _people(move.annotator for move in moves)
    pairs = 0

    def move_one(move: Move) -> None:
        nonlocal pairs
        pairs += _move(collection, move, people)

    _in_steps(moves, move_one, collection, work, "seats reassigned")
    return {"pairs": pairs}


# Exclusions


def exclude(*, collection: Collection, docno: str, annotator: User) -> Exclusion:
    """Keep a person from judging the queries of a query paper.

    Raises:
        CannotExclude: no such query paper, or the person has a seat in one of its queries.
    """
    try:
        with transaction.atomic():
            lock_collection(collection)
            paper = QueryPaper.objects.filter(collection=collection, name=docno).first()
            if paper is None:
                raise CannotExclude(f"{docno!r} is no query paper here. Enter the id of one.")
            exclusion, _ = paper.exclusions.get_or_create(annotator=annotator)
    except IntegrityError as error:
        raise CannotExclude(
            f"{annotator} judges a query of {docno} already. Reassign that seat first."
        ) from error
    return exclusion


def end_exclusion(*, exclusion: Exclusion) -> None:
    with transaction.atomic():
        lock_collection(exclusion.query_paper.collection)
        exclusion.delete()
