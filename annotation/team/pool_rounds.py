"""Open the candidates of later pool rounds in queries that are open for judging already.

Each new pair gets two slots of the people who have the seats. A seat whose person can no longer
judge is handed over first. Some old pairs come among the new ones, so that a drift between pool
rounds can be measured. No judge is told which pairs are of which round.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection as Group
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, F, OuterRef, QuerySet

from accounts.actions.kinds import ActionKind, SubjectKind
from accounts.actions.services import record_action
from accounts.actions.subjects import about
from accounts.locking import lock_collection
from accounts.models import Collection, User
from annotation.models import Opening, Pair, Seat, SlotCount
from annotation.qualifications.standing import adjudicating_seniors, unqualified_annotators
from annotation.repeats.planning import plan_old_pairs, plan_repeats
from annotation.services import (
    CannotOpen,
    CannotReassign,
    candidates_with_texts,
    give_seat,
    lock_slots,
    make_slots,
    renumber,
)
from annotation.team.exclusions import excluded_people
from annotation.team.plans import (
    AT_ONCE,
    PlanChanged,
    change_in_steps,
    eligible_annotators,
    people_named,
    request_job,
)
from corpus.digests import json_digest
from corpus.models import SOURCES, Query
from jobs.context import JobContext
from jobs.models import Job
from pooling.models import Candidate

ROUND_KIND = "open_pool_round"
OLD_SHARE = 0.1  # of the new pairs: how many old ones come among them

KnownPairs = Mapping[int, Group[int]]  # pairs that a person decided, by the person


class SeatChange(NamedTuple):
    """A seat whose person can no longer judge, and who takes it over."""

    query: str
    number: int
    annotator: str


@dataclass(frozen=True)
class NewPairsPlan:
    """The queries with new pairs, by name, and the seats that change hands first.

    `vacant` are the seats of queries that no substitute can take over.
    """

    pairs: Mapping[str, int]
    changes: Sequence[SeatChange]
    vacant: Sequence[tuple[str, int]]

    @property
    def total(self) -> int:
        return sum(self.pairs.values())

    @property
    def digest(self) -> str:
        return json_digest([dict(self.pairs), [list(change) for change in self.changes]])

    @property
    def is_long(self) -> bool:
        return len(self.pairs) > AT_ONCE

    def check(self) -> None:
        """Raises CannotOpen if there is nothing to open, or a seat is vacant."""
        if not self.pairs:
            raise CannotOpen(
                "Every candidate of the open queries has its pair, so there is nothing to open. "
                "Other queries contain the new candidates when they open."
            )
        if self.vacant:
            query, number = self.vacant[0]
            raise CannotOpen(
                f"The annotator of seat {number} of {query} can no longer judge. Name an annotator "
                "who can take the seat over: one who is qualified, is not excluded, and has no "
                "pair in the other seat."
            )


def new_candidates(query: Query) -> QuerySet[Candidate]:
    """The candidates of later pool rounds that have no pair for the query yet."""
    paired = Pair.objects.filter(query=query, candidate=OuterRef("pk"))
    candidates = Candidate.objects.to_judge().filter(
        pool__query_paper=query.query_paper_id, pool__frozen_at__isnull=False, round__gt=1
    )
    return candidates.filter(~Exists(paired))


def waiting_pairs(collection: Collection) -> dict[str, int]:
    """The number of candidates of later pool rounds without a pair, by open query.

    Kept counts say which queries have fewer pairs than candidates. In queries with imported
    judgments these may be candidates of the first round that are not judged.
    """
    if not collection.pool_rounds.exists():
        return {}
    queries = Query.objects.filter(
        collection=collection,
        opening__isnull=False,
        query_paper__pool__to_judge__gt=F("pair_count__total"),
    )
    of_query = "pool__query_paper__queries"
    paired = Pair.objects.filter(query=OuterRef(of_query), candidate=OuterRef("pk"))
    rows = (
        Candidate.objects.to_judge()
        .filter(~Exists(paired), round__gt=1, **{f"{of_query}__in": queries})
        .order_by()
        .values_list(f"{of_query}__name")
        .annotate(count=Count("pk"))
    )
    return dict(sorted(rows))


def plan_new_pairs(*, collection: Collection, substitutes: Sequence[User] = ()) -> NewPairsPlan:
    """The new pairs of every open query, and who takes over the seats of people who left.

    A seat goes to the substitute with the fewest new pairs so far, then by username.
    """
    pairs = waiting_pairs(collection)
    openings = Opening.objects.of(collection).filter(query__name__in=list(pairs))
    papers = dict(openings.order_by().values_list("query__name", "query__query_paper"))
    able = _people_who_judge(collection)
    excluded = excluded_people(collection)
    seniors = adjudicating_seniors(collection)
    others = _people_by_seat(collection)
    changes, vacant, load = [], [], Counter[str]()
    for query, seats in sorted(_seats(openings).items()):
        holders = {seat.annotator.username for seat in seats}
        for seat in seats:
            holder, barred = seat.annotator, excluded[papers[query]]
            stays = holder.pk not in seniors or bool(seat.senior_reason)
            if holder.pk in able and holder.username not in barred and stays:
                continue
            taken = holders | barred | others[query, 3 - seat.number]
            free = [
                person.username
                for person in substitutes
                if person.pk in able and person.pk not in seniors and person.username not in taken
            ]
            if not free:
                vacant.append((query, seat.number))
                continue
            chosen = min(free, key=lambda name: (load[name], name))
            load[chosen] += pairs[query]
            holders = holders - {holder.username} | {chosen}
            changes.append(SeatChange(query, seat.number, chosen))
    return NewPairsPlan(pairs, changes, vacant)


def _people_who_judge(collection: Collection) -> set[int]:
    """The annotators who can log in and need not qualify first."""
    able = set(eligible_annotators(collection).values_list("pk", flat=True))
    return able - set(unqualified_annotators(collection).values_list("pk", flat=True))


def _seats(openings: QuerySet[Opening]) -> dict[str, list[Seat]]:
    seats: dict[str, list[Seat]] = defaultdict(list)
    rows = Seat.objects.filter(opening__in=openings).select_related("annotator", "opening__query")
    for seat in rows.order_by("number"):
        seats[seat.opening.query.name].append(seat)
    return seats


def _people_by_seat(collection: Collection) -> defaultdict[tuple[str, int], set[str]]:
    """The people who have or had slots of a seat, by query and number."""
    people: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    counts = SlotCount.objects.filter(query__collection=collection).order_by()
    for query, number, username in counts.values_list(
        "query__name", "number", "annotator__username"
    ):
        people[query, number].add(username)
    return people


def open_new_pairs(
    *,
    collection: Collection,
    substitutes: Sequence[User] = (),
    digest: str = "",
    old_share: float = OLD_SHARE,
    known: KnownPairs | None = None,
) -> int:
    """Open the new pairs of all open queries, or none of them. Returns how many they are.

    Of old pairs, `old_share` of the number of new pairs come among them, and at least one. `known`
    are pairs that a person decided, who does not get them again.

    Raises:
        CannotOpen: there is nothing to open, or no substitute can take over a seat.
        PlanChanged: the plan is not that of `digest`.
    """
    with transaction.atomic():
        lock_collection(collection)
        plan = plan_new_pairs(collection=collection, substitutes=substitutes)
        plan.check()
        if digest and plan.digest != digest:
            raise PlanChanged
        return sum(
            _open_query(collection, query, plan.changes, old_share, known or {})
            for query in plan.pairs
        )


def request_new_pairs(
    *,
    collection: Collection,
    plan: NewPairsPlan,
    requested_by: User | None,
    old_share: float = OLD_SHARE,
) -> Job:
    """Queue a job that opens the new pairs as planned, some queries at a time.

    Raises:
        CannotOpen: as `open_new_pairs`.
        InProgress: another such job has not ended.
    """
    plan.check()
    parameters = {
        "queries": sorted(plan.pairs),
        "changes": [list(change) for change in plan.changes],
        "old_share": old_share,
    }
    return request_job(ROUND_KIND, collection, parameters, requested_by)


def open_new_pairs_as_planned(
    *,
    collection: Collection,
    queries: Sequence[str],
    changes: Sequence[SeatChange],
    work: JobContext,
    old_share: float = OLD_SHARE,
    known: KnownPairs | None = None,
) -> dict[str, Any]:
    """Open the new pairs of the queries, a few in each transaction. Done queries stay done.

    Raises:
        CannotOpen: as `open_new_pairs`.
    """
    opened = 0

    def open_one(query: str) -> None:
        nonlocal opened
        opened += _open_query(collection, query, changes, old_share, known or {})

    change_in_steps(queries, open_one, collection, work, "queries opened")
    return {"pairs": opened}


def _open_query(
    collection: Collection,
    name: str,
    changes: Sequence[SeatChange],
    old_share: float,
    known: KnownPairs,
) -> int:
    """Open the new pairs of one query. Needs a transaction that has the collection's lock."""
    opening = Opening.objects.select_related(
        "guideline", "query__collection", "query__facet", *(f"query__{each}" for each in SOURCES)
    ).get(query__collection=collection, query__name=name)
    query = opening.query
    rounds = sorted(set(new_candidates(query).order_by().values_list("round", flat=True)))
    if not rounds:
        return 0
    people = people_named(change.annotator for change in changes)
    try:
        with transaction.atomic():
            lock_slots(query)
            for change in (change for change in changes if change.query == name):
                seat = opening.seats.select_related("annotator").get(number=change.number)
                if seat.annotator.username != change.annotator:
                    give_seat(
                        opening=opening, number=change.number, annotator=people[change.annotator]
                    )
            first, second = (
                seat.annotator
                for seat in opening.seats.select_related("annotator").order_by("number")
            )
            opened = sum(
                _open_round(opening, number, (first, second), old_share, known) for number in rounds
            )
            record_action(
                kind=ActionKind.NEW_PAIRS_OPENED,
                collection=collection,
                subject=about(SubjectKind.QUERY, query.pk, query.name),
                details={"pairs": opened},
            )
            return opened
    except CannotReassign as error:
        raise CannotOpen(str(error)) from error
    except IntegrityError as error:
        raise CannotOpen(
            f"An annotator who was to take over a seat of {name} judged some of its pairs in the "
            "other seat, or decided them. Name another annotator."
        ) from error


def _open_round(
    opening: Opening,
    pool_round: int,
    annotators: tuple[User, User],
    old_share: float,
    known: KnownPairs,
) -> int:
    query = opening.query
    candidates = candidates_with_texts(
        new_candidates(query).filter(round=pool_round).order_by("position")
    )
    make_slots(
        query=query,
        candidates=candidates,
        annotators=annotators,
        guideline_version=opening.guideline.version,
    )
    old = max(1, int(old_share * len(candidates) + 0.5)) if old_share else 0
    for number, annotator in enumerate(annotators, start=1):
        plan_repeats(query, number, pool_round=pool_round)
        plan_old_pairs(
            query,
            number,
            annotator,
            old,
            pool_round=pool_round,
            known=known.get(annotator.pk, ()),
        )
        renumber(query, annotator)
    return len(candidates)
