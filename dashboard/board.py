"""The numbers of the judging board: progress, each person's share, and advice.

Counts of judgments only, from the rows that triggers keep. Nothing here reads a grade.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from django.db.models import (
    Exists,
    F,
    FloatField,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    TextField,
    Value,
)
from django.db.models.functions import Cast, Coalesce, NullIf, StrIndex
from django.db.models.lookups import GreaterThan

from accounts.models import Collection, Role, User
from adjudication.models import CaseCount
from annotation.models import Opening, PairCount, Seat, SlotCount
from corpus.models import Query
from corpus.services import speaks_of
from dashboard.annotators import Share, annotators, eligible_annotators, shares_of
from dashboard.completion import Completion

SEATS = 2
NAMED = 5  # people that one line of advice names

# Long columns that no row shows.
UNSHOWN = [f"query_paper__document__{column}" for column in ("sentences", "references", "authors")]
BOARD_SORTS = {
    "query": ("name",),
    "facet": ("facet__position", "name"),
    "judged": ("judged_share", "name"),
    "cases": ("cases_remaining", "name"),
    "opened": ("opening__opened_at", "name"),
}


@dataclass(frozen=True)
class SeatRow:
    """One of a query's two seats: its annotator, and how many of its slots are judged."""

    number: int
    annotator: User
    judged: Completion


@dataclass(frozen=True)
class OpenRow:
    """A query open for judging. `cases` are of pairs with both judgments in."""

    query: Query
    opening: Opening
    seats: tuple[SeatRow, ...]
    both: Completion
    cases: Completion


@dataclass(frozen=True)
class ClosedRow:
    """A query that is not open yet, with the number of pairs that opening it makes."""

    query: Query
    pairs: int
    pool: str  # "none", "draft" or "frozen"
    problem: str = ""

    @property
    def ready(self) -> bool:
        return not self.problem


@dataclass(frozen=True)
class Board:
    """The totals of the page, over all queries and people of the collection."""

    judgments: Completion
    pairs: Completion
    cases: Completion
    open: int
    closed: int
    without_pool: int
    ready: int
    adjudicators: int
    people: Sequence[User]
    shares: dict[int, Share]
    eligible: frozenset[int]
    advice: list[str] = field(default_factory=list)

    @property
    def can_open(self) -> bool:
        """There are a query to open and two annotators for it."""
        return self.ready > 0 and len(self.eligible) >= SEATS


def board_of(collection: Collection) -> Board:
    """The totals in a fixed number of database queries."""
    pairs = _sums(PairCount.objects.filter(query__collection=collection), "judged", "total")
    closed = closed_queries(collection)
    board = Board(
        judgments=_sums(SlotCount.objects.filter(query__collection=collection), "judged", "total"),
        pairs=pairs,
        cases=_cases(collection),
        open=collection.queries.filter(opening__isnull=False).count(),
        closed=closed.count(),
        without_pool=closed.filter(query_paper__pool=None).count(),
        ready=ready_queries(collection).count(),
        adjudicators=collection.memberships.filter(
            role=Role.ADJUDICATOR, user__is_active=True
        ).count(),
        people=list(annotators(collection)),
        shares=shares_of(collection),
        eligible=frozenset(eligible_annotators(collection).values_list("pk", flat=True)),
    )
    board.advice.extend(advice(board))
    return board


def _sums(rows: QuerySet[PairCount] | QuerySet[SlotCount], done: str, total: str) -> Completion:
    sums = rows.aggregate(done=Coalesce(Sum(done), 0), total=Coalesce(Sum(total), 0))
    return Completion(sums["done"], sums["total"])


def _cases(collection: Collection) -> Completion:
    settled = CaseCount.objects.filter(query__collection=collection).aggregate(Sum("settled"))
    disputed = PairCount.objects.filter(query__collection=collection).aggregate(Sum("disputed"))
    return Completion(settled["settled__sum"] or 0, disputed["disputed__sum"] or 0)


# Queries that are open


def open_queries_matching(collection: Collection, words: str = "") -> QuerySet[Query]:
    """The open queries whose name, facet or annotators have every word, ready for `open_rows`."""
    queries = (
        collection.queries.filter(opening__isnull=False)
        .select_related("facet", "query_paper__document")
        .select_related("opening__guideline", "pair_count", "case_count")
        .defer(*UNSHOWN)
    )
    for word in words.split():
        seats = Seat.objects.filter(opening__query=OuterRef("pk")).filter(
            Q(annotator__username__icontains=word)
            | Q(annotator__first_name__icontains=word)
            | Q(annotator__last_name__icontains=word)
        )
        queries = queries.filter(
            Q(name__icontains=word) | Q(facet__name__icontains=word) | Exists(seats)
        )
    return queries.annotate(
        judged_share=Cast(F("pair_count__judged"), FloatField())
        / NullIf(F("pair_count__total"), Value(0)),
        cases_remaining=F("pair_count__disputed") - Coalesce(F("case_count__settled"), 0),
    )


def open_rows(queries: Sequence[Query]) -> list[OpenRow]:
    """The rows of these open queries, in two database queries."""
    seats = _seat_rows(queries)
    return [
        OpenRow(
            query=query,
            opening=query.opening,
            seats=tuple(seats[query.pk]),
            both=Completion(query.pair_count.judged, query.pair_count.total),
            cases=Completion(
                query.case_count.settled if hasattr(query, "case_count") else 0,
                query.pair_count.disputed,
            ),
        )
        for query in queries
    ]


def _seat_rows(queries: Sequence[Query]) -> dict[int, list[SeatRow]]:
    """Query to its seats in order. Some slots of a seat may belong to an earlier annotator."""
    counted = (
        SlotCount.objects.filter(query__in=queries)
        .order_by()
        .values_list("query", "number")
        .annotate(Sum("judged"), Sum("total"))
    )
    judged = {(query, number): Completion(done, total) for query, number, done, total in counted}
    seats = Seat.objects.filter(opening__query__in=queries).select_related("opening", "annotator")
    rows: dict[int, list[SeatRow]] = defaultdict(list)
    for seat in seats.order_by("opening", "number"):
        query = seat.opening.query_id
        done = judged.get((query, seat.number), Completion(0, 0))
        rows[query].append(SeatRow(seat.number, seat.annotator, done))
    return rows


def seat_progress(opening: Opening, number: int) -> Completion:
    """How many of one seat's slots are judged."""
    counts = SlotCount.objects.filter(query=opening.query_id, number=number)
    return _sums(counts, "judged", "total")


# Queries that are not


def closed_queries(collection: Collection) -> QuerySet[Query]:
    """The queries that are not open, ready for `closed_rows`."""
    return (
        collection.queries.filter(opening=None)
        .select_related("facet", "query_paper__document", "query_paper__pool")
        .defer(*UNSHOWN)
    )


def ready_queries(collection: Collection) -> QuerySet[Query]:
    """The closed queries with a pool to judge, whose paper has a sentence on their facet."""
    labels = Cast("query_paper__document__labels", TextField())
    speaks = Q(pk__in=[])
    for facet in collection.facets.all():
        for label in facet.labels:
            # As SQLite stores a text in JSON, and as PostgreSQL shows it.
            for text in {json.dumps(label), json.dumps(label, ensure_ascii=False)}:
                speaks |= Q(GreaterThan(StrIndex(labels, Value(text)), 0), facet=facet)
    return collection.queries.filter(speaks, query_paper__pool__to_judge__gt=0, opening=None)


def closed_rows(queries: Sequence[Query]) -> list[ClosedRow]:
    return [_closed_row(query) for query in queries]


def _closed_row(query: Query) -> ClosedRow:
    pool = getattr(query.query_paper, "pool", None)
    if pool is None:
        return ClosedRow(query, 0, "none", problem="no pool yet")
    pool_state = "frozen" if pool.is_frozen else "draft"
    return ClosedRow(query, pool.to_judge, pool_state, problem=_problem(query, pool.to_judge))


def _problem(query: Query, pairs: int) -> str:
    if not pairs:
        return "its pool is empty"
    if not speaks_of(query.query_paper.document, query.facet):
        return f"its paper has no sentence on {query.facet.name.lower()}"
    return ""


# Advice


def advice(board: Board) -> Iterator[str]:
    """Suggestions for the admin, the most urgent first. Pure."""
    if board.closed and len(board.eligible) < SEATS:
        yield (
            f"Every query needs two annotators, and {_there_are(len(board.eligible))}. "
            "Add people with the role annotator who are not admins of the collection."
        )
    if board.without_pool:
        number = board.without_pool
        yield f"{_queries(number)} {_have(number)} no pool yet. Build the pools first."
    if board.ready:
        yield f"{_queries(board.ready)} {_have(board.ready)} no annotators."
    cases = board.cases.remaining
    if cases and not board.adjudicators:
        yield f"{_cases_wait(cases)} and the collection has no adjudicator."
    elif cases:
        yield f"{_cases_wait(cases)}."
    yield from _about_people(board)


def _about_people(board: Board) -> Iterator[str]:
    remaining = {
        user.pk: board.shares.get(user.pk, Share()).judged.remaining for user in board.people
    }
    idle = [user for user in board.people if user.pk in board.eligible and not remaining[user.pk]]
    if board.open and idle:
        yield f"{_names(idle)} {_have(len(idle))} nothing left to judge."
    for user in board.people:
        if remaining[user.pk] and user.pk not in board.eligible:
            yield (
                f"{user.shown_name} still has {remaining[user.pk]:,} unjudged pairs "
                "and can no longer judge them. Reassign the seats."
            )


def _names(users: Iterable[User]) -> str:
    names = [user.shown_name for user in users]
    more = len(names) - NAMED
    if more > 0:
        return f"{', '.join(names[:NAMED])} and {more} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _there_are(number: int) -> str:
    return "there is only one" if number else "there is none"


def _queries(number: int) -> str:
    return "1 query" if number == 1 else f"{number:,} queries"


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def _cases_wait(number: int) -> str:
    return f"{number:,} {'case waits' if number == 1 else 'cases wait'} for adjudication"
