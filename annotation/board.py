"""What the board says: how far the judging is, who has what left, and what needs a person.

Counts of judgments only. Nothing here reads a grade, except to count the disputed among the pairs
that both judges have finished.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from statistics import median
from typing import Any, NamedTuple

from django.db.models import Count, F, Max, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from accounts.models import Collection, Role, User
from annotation.models import Judgment, Opening, Pair, Slot
from corpus.models import Query
from corpus.services import speaks_of
from pooling.models import Candidate
from pooling.preview import in_hours

SEATS = 2
RECENT = 50  # judgments that a person's pace is measured on


class Part(NamedTuple):
    """So many of so many."""

    done: int
    total: int

    @property
    def left(self) -> int:
        return self.total - self.done

    @property
    def complete(self) -> bool:
        return self.total > 0 and self.done == self.total


@dataclass(frozen=True)
class SeatRow:
    """One of a query's two seats: who sits there, and how many of its slots are judged."""

    number: int
    annotator: User
    judged: Part


@dataclass(frozen=True)
class OpenRow:
    """A query open for judging. `cases` are of pairs with both judgments in."""

    query: Query
    opening: Opening
    seats: tuple[SeatRow, ...]
    both: Part
    cases: Part

    @property
    def slots(self) -> Part:
        return Part(
            sum(seat.judged.done for seat in self.seats),
            sum(seat.judged.total for seat in self.seats),
        )

    @property
    def text(self) -> str:
        names = " ".join(seat.annotator.shown_name for seat in self.seats)
        return f"{self.query.name} {self.query.facet.name} {names}"


@dataclass(frozen=True)
class ClosedRow:
    """A query that is not open yet, with what opening it would mean."""

    query: Query
    pairs: int
    pool: str  # "none", "draft" or "frozen"
    problem: str = ""

    @property
    def ready(self) -> bool:
        return not self.problem


@dataclass(frozen=True)
class PersonRow:
    """An annotator's share of the work. `pace` is in seconds a judgment, None until measured."""

    user: User
    judged: Part
    queries: int
    pace: float | None
    planned: float
    last_judged: datetime | None
    can_open: bool

    @property
    def time_left(self) -> str:
        """At the person's own pace, or at the collection's while that is not known."""
        return in_hours(self.judged.left * (self.pace or self.planned) / 3600)


@dataclass(frozen=True)
class Board:
    """Everything on the page."""

    open: list[OpenRow]
    closed: list[ClosedRow]
    people: list[PersonRow]
    adjudicators: int
    advice: list[str] = field(default_factory=list)

    @property
    def judgments(self) -> Part:
        return _sum(row.slots for row in self.open)

    @property
    def pairs(self) -> Part:
        return _sum(row.both for row in self.open)

    @property
    def cases(self) -> Part:
        return _sum(row.cases for row in self.open)

    @property
    def ready(self) -> list[ClosedRow]:
        return [row for row in self.closed if row.ready]

    @property
    def eligible(self) -> list[PersonRow]:
        return [person for person in self.people if person.can_open]

    @property
    def can_open(self) -> bool:
        """There is a query to open, and there are two people to open it for."""
        return bool(self.ready) and len(self.eligible) >= SEATS


BOARD_SORTS: dict[str, Callable[[OpenRow], Any]] = {
    "query": lambda row: row.query.name,
    "facet": lambda row: (row.query.facet.position, row.query.name),
    "pairs": lambda row: row.both.total,
    "judged": lambda row: row.slots.done / row.slots.total if row.slots.total else 0,
    "cases": lambda row: row.cases.left,
    "opened": attrgetter("opening.opened_at"),
}


def _sum(parts: Iterable[Part]) -> Part:
    done, total = 0, 0
    for part in parts:
        done, total = done + part.done, total + part.total
    return Part(done, total)


def board_of(collection: Collection) -> Board:
    """The whole board in a fixed number of questions."""
    queries = _queries_of(collection)
    board = Board(
        open=_open_rows(collection, queries),
        closed=_closed_rows(collection, queries),
        people=people(collection),
        adjudicators=collection.memberships.filter(
            role=Role.ADJUDICATOR, user__is_active=True
        ).count(),
    )
    board.advice.extend(advice(board))
    return board


def _queries_of(collection: Collection) -> list[Query]:
    queries = collection.queries.select_related(
        "facet", "query_paper__document", "query_paper__pool", "opening__guideline"
    )
    return list(
        queries.defer("query_paper__document__sentences", "query_paper__document__references")
    )


# Queries that are open


def _open_rows(collection: Collection, queries: Iterable[Query]) -> list[OpenRow]:
    seats = _seat_rows(collection)
    both = _both_judged(collection)
    cases, settled = _cases(collection)
    return [
        OpenRow(
            query=query,
            opening=query.opening,
            seats=tuple(seats[query.pk]),
            both=both.get(query.pk, Part(0, 0)),
            cases=Part(settled.get(query.pk, 0), cases.get(query.pk, 0)),
        )
        for query in queries
        if hasattr(query, "opening")
    ]


def _seat_rows(collection: Collection) -> dict[int, list[SeatRow]]:
    """Query to its seats in order. A seat's slots may be of more than its present annotator."""
    judged = {
        (query, number): Part(done, total)
        for query, number, done, total in Slot.objects.of(collection)
        .order_by()
        .values_list("pair__query", "number")
        .annotate(done=Count("judgment"), total=Count("pk"))
    }
    rows: dict[int, list[SeatRow]] = defaultdict(list)
    openings = Opening.objects.of(collection).prefetch_related("seats__annotator")
    for opening in openings:
        for seat in sorted(opening.seats.all(), key=attrgetter("number")):
            part = judged.get((opening.query_id, seat.number), Part(0, 0))
            rows[opening.query_id].append(SeatRow(seat.number, seat.annotator, part))
    return rows


def seat_progress(opening: Opening, number: int) -> Part:
    """How many of one seat's slots are judged."""
    slots = Slot.objects.filter(pair__query=opening.query_id, number=number)
    return Part(slots.judged().count(), slots.count())


def _both_judged(collection: Collection) -> dict[int, Part]:
    pairs = Pair.objects.of(collection).with_grades().order_by()
    counted = pairs.values_list("query").annotate(
        done=Count("pk", filter=Q(first__isnull=False, second__isnull=False)), total=Count("pk")
    )
    return {query: Part(done, total) for query, done, total in counted}


def _cases(collection: Collection) -> tuple[dict[int, int], dict[int, int]]:
    """Query to its cases, and to those of them that are settled."""
    disputed = Pair.objects.of(collection).disputed().order_by()
    # A decision holds for the two judgments it was taken on. Decisions belong to adjudication,
    # above this app, and are reached by the name of their relation only.
    settled = disputed.filter(decisions__first_id=F("first"), decisions__second_id=F("second"))
    return _per_query(disputed), _per_query(settled)


def _per_query(pairs: QuerySet[Pair]) -> dict[int, int]:
    return dict(pairs.values_list("query").annotate(n=Count("pk", distinct=True)))


# Queries that are not


def closed_rows(collection: Collection) -> list[ClosedRow]:
    """The queries that are not open, and what opening each would mean."""
    return _closed_rows(collection, _queries_of(collection))


def _closed_rows(collection: Collection, queries: Iterable[Query]) -> list[ClosedRow]:
    to_judge = _to_judge(collection)
    return [_closed_row(query, to_judge) for query in queries if not hasattr(query, "opening")]


def _to_judge(collection: Collection) -> dict[int, int]:
    candidates = Candidate.objects.to_judge().filter(pool__query_paper__collection=collection)
    return dict(candidates.order_by().values_list("pool").annotate(n=Count("pk")))


def _closed_row(query: Query, to_judge: Mapping[int, int]) -> ClosedRow:
    pool = getattr(query.query_paper, "pool", None)
    if pool is None:
        return ClosedRow(query, 0, "none", problem="no pool yet")
    pairs = to_judge.get(pool.pk, 0)
    state = "frozen" if pool.is_frozen else "draft"
    return ClosedRow(query, pairs, state, problem=_problem(query, pairs))


def _problem(query: Query, pairs: int) -> str:
    if not pairs:
        return "its pool is empty"
    if not speaks_of(query.query_paper.document, query.facet):
        return f"its paper has no sentence on {query.facet.name.lower()}"
    return ""


# People


def eligible_annotators(collection: Collection) -> QuerySet[User]:
    """Who may be given a seat: annotators who can log in. None of them is an admin here."""
    return User.objects.filter(
        is_active=True,
        memberships__collection=collection,
        memberships__role=Role.ANNOTATOR,
    ).order_by("username")


def people(collection: Collection) -> list[PersonRow]:
    """Everybody who has slots or could be given some, by name."""
    shares = _shares(collection)
    eligible = set(eligible_annotators(collection))
    known = {user.pk: user for user in eligible}
    known |= {user.pk: user for user in User.objects.filter(pk__in=shares.keys() - known.keys())}
    pace, last = recent_pace(collection), _last_judged(collection)
    return [
        PersonRow(
            user=user,
            judged=shares.get(pk, (Part(0, 0), 0))[0],
            queries=shares.get(pk, (Part(0, 0), 0))[1],
            pace=pace.get(pk),
            planned=collection.seconds_per_judgment,
            last_judged=last.get(pk),
            can_open=user in eligible,
        )
        for pk, user in sorted(known.items(), key=lambda item: item[1].username)
    ]


def _shares(collection: Collection) -> dict[int, tuple[Part, int]]:
    counted = (
        Slot.objects.of(collection)
        .order_by()
        .values_list("annotator")
        .annotate(
            done=Count("judgment"),
            total=Count("pk"),
            queries=Count("pair__query", filter=Q(judgment=None), distinct=True),
        )
    )
    return {user: (Part(done, total), queries) for user, done, total, queries in counted}


def recent_pace(collection: Collection) -> dict[int, float]:
    """Annotator to the median seconds of the latest judgments: a break does not move a median."""
    timed = (
        Judgment.objects.filter(slot__pair__query__collection=collection, seconds__isnull=False)
        .annotate(age=Window(RowNumber(), partition_by=[F("annotator")], order_by=[F("pk").desc()]))
        .filter(age__lte=RECENT)
        .order_by()
        .values_list("annotator", "seconds")
    )
    seconds: dict[int, list[float]] = defaultdict(list)
    for annotator, taken in timed:
        if taken is not None:
            seconds[annotator].append(taken)
    return {annotator: median(taken) for annotator, taken in seconds.items()}


def _last_judged(collection: Collection) -> dict[int, datetime]:
    judgments = Judgment.objects.filter(slot__pair__query__collection=collection).order_by()
    return dict(judgments.values_list("annotator").annotate(last=Max("created_at")))


# Advice


def advice(board: Board) -> Iterator[str]:
    """What an admin could do next, most pressing first; a pure reading of the board."""
    eligible = board.eligible
    if board.closed and len(eligible) < SEATS:
        yield (
            f"Every query needs two annotators, and {_there_are(len(eligible))}. "
            "Add people with the role annotator who are not admins here."
        )
    waiting = [row for row in board.closed if row.pool == "none"]
    if waiting:
        yield f"{_queries(len(waiting))} {_have(len(waiting))} no pool yet. Build the pools first."
    if board.ready:
        yield f"{_queries(len(board.ready))} {_have(len(board.ready))} no annotators."
    if board.cases.left and not board.adjudicators:
        yield f"{_cases_wait(board.cases.left)} and nobody here is an adjudicator."
    elif board.cases.left:
        yield f"{_cases_wait(board.cases.left)}."
    for person in eligible:
        if board.open and not person.judged.left:
            yield f"{person.user.shown_name} has nothing left to judge."
    for person in board.people:
        if person.judged.left and not person.can_open:
            yield (
                f"{person.user.shown_name} still holds {person.judged.left:,} unjudged pairs "
                "and can no longer judge them. Reassign the seats."
            )


def _there_are(number: int) -> str:
    return "there is only one" if number else "there is none"


def _queries(number: int) -> str:
    return "1 query" if number == 1 else f"{number:,} queries"


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def _cases_wait(number: int) -> str:
    return f"{number:,} {'case waits' if number == 1 else 'cases wait'} for adjudication"


# Guidelines


class VersionUse(NamedTuple):
    """A version of a guideline and the queries that are judged under it."""

    version: int
    created_at: datetime
    queries: list[str]


def versions_in_use(collection: Collection) -> dict[int, list[VersionUse]]:
    """Facet to the versions of its guideline, newest first, each with its queries."""
    under: dict[int, list[str]] = defaultdict(list)
    openings = Opening.objects.of(collection).order_by("query__name")
    for version, name in openings.values_list("guideline", "query__name"):
        under[version].append(name)
    uses: dict[int, list[VersionUse]] = defaultdict(list)
    for facet in collection.facets.prefetch_related("guidelines"):
        for guideline in facet.guidelines.all():
            use = VersionUse(guideline.version, guideline.created_at, under[guideline.pk])
            uses[facet.pk].append(use)
    return uses
