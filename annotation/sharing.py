"""The sharing of queries in a team: even loads, and as much shared work for every two people. Pure.

Agreement between two annotators is measured on the pairs that both judge. In a team, every two
people therefore share about as many pairs, so that no coefficient rests on one couple of friends.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import NamedTuple

from corpus.ordering import order_key

ROUNDS = 20  # of improvement; each ends when a round changes nothing
Couple = frozenset[str]  # of two people


class NoCouple(ValueError):
    """No two people of the team may judge the query."""

    def __init__(self, query: str) -> None:
        super().__init__(query)
        self.query = query


class QueryWork(NamedTuple):
    """A query to open, and the number of its pairs."""

    query: str
    pairs: int


class Assignment(NamedTuple):
    """A query and the people of its slots 1 and 2."""

    query: str
    first: str
    second: str

    @property
    def couple(self) -> Couple:
        return frozenset((self.first, self.second))


@dataclass
class Load:
    """The number of pairs that each person has to judge, and that every two people share."""

    people: Counter[str] = field(default_factory=Counter)
    couples: Counter[Couple] = field(default_factory=Counter)

    def add(self, couple: Couple, pairs: int) -> None:
        for person in couple:
            self.people[person] += pairs
        self.couples[couple] += pairs

    def cost(self, couple: Couple) -> int:
        """The work that a couple has, and shares, already.

        The choice with the lowest cost adds the least to the sum of the squares of all loads and of
        all shared work.
        """
        return sum(self.people[person] for person in couple) + self.couples[couple]


def assign(
    queries: Iterable[QueryWork],
    people: Iterable[str],
    *,
    load: Load | None = None,
    excluded: Container[tuple[str, str]] = (),
    seed: str,
) -> list[Assignment]:
    """Two people for each query, by name of the query.

    `load` is what the people have to judge and share already. `excluded` holds (person, query)
    where the person may not judge the query. The same input gives the same assignments: ties, and
    who has slot 1, follow from the seed.

    Raises:
        NoCouple: fewer than two of the people may judge a query.
    """
    # Large queries first, as in packing: small ones even out what they leave.
    ordered = sorted(
        queries, key=lambda work: (-work.pairs, order_key(seed, "team", work.query, ""))
    )
    couples = [frozenset(couple) for couple in combinations(sorted(people), 2)]
    barred = {
        query: {person for person in people if (person, query) in excluded} for query, _ in ordered
    }
    load = Load(Counter(load.people), Counter(load.couples)) if load else Load()
    chosen: dict[str, Couple] = {}
    for _ in range(ROUNDS):
        before = dict(chosen)
        for query, pairs in ordered:
            if query in chosen:
                load.add(chosen[query], -pairs)
            able = [couple for couple in couples if couple.isdisjoint(barred[query])]
            chosen[query] = _least_loaded(query, able, load, seed)
            load.add(chosen[query], pairs)
        if chosen == before:
            break
    return [_seated(query, chosen[query], seed) for query in sorted(chosen)]


def _least_loaded(query: str, couples: Sequence[Couple], load: Load, seed: str) -> Couple:
    """The couple with the lowest cost. An order of the query's own decides ties.

    Only the couples that are equal are put into that order: a list of all couples for each query
    takes a gigabyte for 50 people and 4,000 queries.
    """
    if not couples:
        raise NoCouple(query)
    costs = [load.cost(couple) for couple in couples]
    lowest = min(costs)
    return min(
        (couple for couple, cost in zip(couples, costs, strict=True) if cost == lowest),
        key=lambda couple: order_key(seed, "couple", query, " ".join(sorted(couple))),
    )


def _seated(query: str, couple: Couple, seed: str) -> Assignment:
    first, second = sorted(couple, key=lambda person: order_key(seed, "seat", query, person))
    return Assignment(query, first, second)


def judging_order(
    assignments: Iterable[Assignment],
    pairs: Mapping[str, int],
    *,
    load: Load | None = None,
    seed: str,
) -> list[Assignment]:
    """The assignments in the order in which all annotators meet their queries.

    Agreement and cases need both judgments of a pair, so the two people of a query should come to
    it at about the same time. This plans the work ahead: the person whose pairs end first gets the
    next query, beside the partner whose pairs end first. `pairs` is by query, `load` is what the
    people have to judge already. Couples have their queries in a random order, which keeps the
    facets of one paper apart.
    """
    ends = Counter(load.people) if load else Counter[str]()
    waiting: dict[Couple, deque[Assignment]] = defaultdict(deque)
    for assignment in sorted(
        assignments, key=lambda each: order_key(seed, "opening", each.query, "")
    ):
        waiting[assignment.couple].append(assignment)
    ordered = []
    while waiting:
        # Of equal couples, the first in the random order is first.
        couple = min(waiting, key=lambda two: sorted(ends[person] for person in two))
        assignment = waiting[couple].popleft()
        if not waiting[couple]:
            del waiting[couple]
        ends.update(dict.fromkeys(couple, pairs[assignment.query]))
        ordered.append(assignment)
    return ordered


# Joins and leaves


class SeatWork(NamedTuple):
    """A seat of an open query. `barred` are the people who may not take it.

    They judged pairs of the query in its other slot, have the other seat, or are excluded.
    """

    query: str
    number: int
    annotator: str
    judged: int
    remaining: int
    barred: frozenset[str]

    @property
    def key(self) -> tuple[str, int]:
        return self.query, self.number


class SeatMove(NamedTuple):
    """The unjudged slots of a seat go to another person."""

    query: str
    number: int
    annotator: str
    pairs: int


@dataclass(frozen=True)
class Rebalancing:
    """The moves, and the seats of people who left that no one of the team may take."""

    moves: Sequence[SeatMove]
    stuck: Sequence[SeatWork]


def rebalance(seats: Iterable[SeatWork], people: Iterable[str], *, seed: str) -> Rebalancing:
    """Moves after which only `people` have unjudged pairs, about as many each.

    Judgments never move. A seat of a person who stays moves only before its first judgment, so
    that no query gets more annotators than it must. Two people who share no query then swap such
    seats with others, if loads stay even and every couple that shares a query still does.
    Seats without unjudged pairs never move; they say who shares a query already.
    """
    # Large seats first, as in packing: small ones even out what they leave.
    seats = list(seats)
    ordered = sorted(
        (seat for seat in seats if seat.remaining),
        key=lambda seat: (
            -seat.remaining,
            order_key(seed, "rebalance", seat.query, str(seat.number)),
        ),
    )
    team = _Team.of(seats, people)
    stuck = [
        seat for seat in ordered if seat.annotator not in team.left and not team.hand_over(seat)
    ]
    untouched = [seat for seat in ordered if not seat.judged]
    for _ in range(ROUNDS):
        if not sum(team.even_out(seat) for seat in untouched):
            break
    team.join_couples(untouched)
    moves = [
        SeatMove(seat.query, seat.number, team.holder[seat.key], seat.remaining)
        for seat in ordered
        if team.holder[seat.key] != seat.annotator
    ]
    return Rebalancing(sorted(moves), sorted(stuck))


@dataclass
class _Team:
    """The pairs that each person of the team has left to judge, and the holder of each seat."""

    left: dict[str, int]
    holder: dict[tuple[str, int], str]
    barred: dict[tuple[str, int], set[str]]

    @classmethod
    def of(cls, seats: Sequence[SeatWork], people: Iterable[str]) -> _Team:
        left = dict.fromkeys(sorted(people), 0)
        for seat in seats:
            if seat.annotator in left:
                left[seat.annotator] += seat.remaining
        return cls(
            left,
            {seat.key: seat.annotator for seat in seats},
            {seat.key: set(seat.barred) for seat in seats},
        )

    def hand_over(self, seat: SeatWork) -> bool:
        """Give the seat to the person with the least left, if anyone may take it."""
        taker = self._taker(seat)
        if taker is not None:
            self._give(seat, taker)
        return taker is not None

    def even_out(self, seat: SeatWork) -> bool:
        """Give the seat to the person with the least left if that brings the two closer."""
        taker, holder = self._taker(seat), self.holder[seat.key]
        if taker is None or holder not in self.left:
            return False
        if self.left[holder] - self.left[taker] <= seat.remaining:
            return False
        self._give(seat, taker)
        return True

    def _taker(self, seat: SeatWork) -> str | None:
        able = [person for person in self.left if person not in self.barred[seat.key]]
        return min(able, key=lambda person: (self.left[person], person), default=None)

    def _give(self, seat: SeatWork, taker: str) -> None:
        holder = self.holder[seat.key]
        if holder in self.left:
            self.left[holder] -= seat.remaining
        self.left[taker] += seat.remaining
        self.holder[seat.key] = taker
        # One person never has both seats of a query.
        self.barred.get((seat.query, 3 - seat.number), set()).add(taker)

    def join_couples(self, untouched: Sequence[SeatWork]) -> None:
        """Let every two people share a query, where a swap of two untouched seats can do it.

        Loads may differ by the smallest seat, which the next rebalancing would not even out. For
        couples that still share none then, they may differ by the largest.
        """
        shared = Counter(self._couple(query) for query in {query for query, _ in self.holder})
        sizes = [seat.remaining for seat in untouched]
        for apart in (min(sizes, default=0), max(sizes, default=0)):
            for two in combinations(self.left, 2):
                if not shared[frozenset(two)]:
                    any(
                        self._join(*couple, untouched, shared, apart) for couple in (two, two[::-1])
                    )

    def _couple(self, query: str) -> Couple:
        return frozenset(self.holder.get((query, number), "") for number in (1, 2))

    def _join(
        self,
        person: str,
        partner: str,
        untouched: Sequence[SeatWork],
        shared: Counter[Couple],
        apart: int,
    ) -> bool:
        """Swap a seat of the person for one beside the partner. Both couples share more queries."""
        own = [
            seat
            for seat in untouched
            if self.holder[seat.key] == person and shared[self._couple(seat.query)] > 1
        ]
        wanted = [
            seat
            for seat in untouched
            if self.holder.get((seat.query, 3 - seat.number)) == partner
            and shared[self._couple(seat.query)] > 1
            and self.holder[seat.key] in self.left
            and person not in self.barred[seat.key]
        ]
        for given, taken in product(own, wanted):
            other = self.holder[taken.key]
            if other not in self.barred[given.key] and self._stays_even(given, taken, apart):
                shared.subtract([self._couple(given.query), self._couple(taken.query)])
                self._give(given, other)
                self._give(taken, person)
                shared.update([self._couple(given.query), self._couple(taken.query)])
                return True
        return False

    def _stays_even(self, given: SeatWork, taken: SeatWork, apart: int) -> bool:
        """Return whether the swap keeps loads within `apart` of each other, or no further apart."""
        before = self.left.values()
        after = dict(self.left)
        after[self.holder[given.key]] += taken.remaining - given.remaining
        after[self.holder[taken.key]] += given.remaining - taken.remaining
        return max(after.values()) - min(after.values()) <= max(apart, max(before) - min(before))
