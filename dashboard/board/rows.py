"""The numbers of the judging board: progress, each person's share, and advice.

Counts of judgments only, from the rows that triggers keep. Nothing here reads a grade.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection as Group
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Exists, F, FloatField, OuterRef, Q, QuerySet, Sum, Value
from django.db.models.functions import Cast, Coalesce, NullIf
from django.utils import timezone

from accounts.models import Collection, Role, User
from adjudication.models import CaseCount
from annotation.models import Opening, PairCount, Seat, SlotCount
from annotation.team import waiting_pairs
from annotation.team.plans import eligible_annotators
from corpus.models import SOURCES, Query
from dashboard.board.annotators import (
    PersonRow,
    annotators,
    late_people,
    person_rows,
    shares_of,
)
from dashboard.board.closed_queries import is_ready
from dashboard.board.completion import Completion, sum_of
from dashboard.board.forms import SEATS
from dashboard.board.query_table import CASES_REMAINING, UNSHOWN_COLUMNS
from dashboard.board.risks import NO_RISK, QueryRisk, risks_of
from planning.yields.advice import QueryAdvice
from planning.yields.stopping import QueryOutlook

NO_ADVICE: Mapping[str, QueryAdvice] = {}
BOARD_SORTS = {
    "query": "",
    "facet": "facet__position",
    "judged": "judged_share",
    "cases": "cases_remaining",
    "opened": "opening__opened_at",
}


@dataclass(frozen=True)
class SeatRow:
    """A seat of a query: its annotator, and the number of its judged slots."""

    number: int
    annotator: User
    judged: Completion

    @property
    def column(self) -> str:
        return f"slot{self.number}"


@dataclass(frozen=True)
class OpenRow:
    """A query open for judging. `cases` are of pairs with both judgments in.

    `late` are its annotators with pairs left who will not finish. `advice` is about stopping,
    as the latest report on yields has it; None if it has none.
    """

    query: Query
    opening: Opening
    seats: tuple[SeatRow, ...]
    both: Completion
    cases: Completion
    risk: QueryRisk
    late: Sequence[User]
    advice: QueryAdvice | None = None

    @property
    def outlook(self) -> QueryOutlook | None:
        return self.advice.outlook if self.advice else None

    @property
    def reasons(self) -> list[str]:
        """The reasons why the query is at risk, besides the people who will not finish."""
        return list(self.risk.reasons(timezone.now()))

    @property
    def risk_text(self) -> str:
        waits = [f"waits for {user.shown_name}, who will not finish" for user in self.late]
        return "; ".join([*waits, *self.reasons])


@dataclass(frozen=True)
class Board:
    """The totals of the page, over all queries and people of the collection.

    `people` have the longest time left first; `late` has those who will not finish.
    `waiting` counts the pairs of later pool rounds that were not opened in queries that are open.
    """

    judgments: Completion
    pairs: Completion
    cases: Completion
    open: int
    closed: int
    without_pool: int
    ready: int
    waiting: int
    adjudicators: int
    people: Sequence[PersonRow]
    late: frozenset[int]
    eligible: frozenset[int]
    advice: list[str] = field(default_factory=list)

    @property
    def can_open(self) -> bool:
        """There are a query to open and two annotators for it."""
        return self.ready > 0 and len(self.eligible) >= SEATS


def board_of(collection: Collection) -> Board:
    """The totals in a fixed number of database queries."""
    pairs = PairCount.objects.filter(query__collection=collection).aggregate(
        **{name: Coalesce(Sum(name), 0) for name in ("judged", "total", "disputed")}
    )
    shares = shares_of(collection)
    eligible = frozenset(eligible_annotators(collection).values_list("pk", flat=True))
    users = annotators(collection, shares)
    board = Board(
        judgments=sum_of(share.judged for share in shares.values()),
        pairs=Completion(pairs["judged"], pairs["total"]),
        cases=Completion(_settled_cases(collection), pairs["disputed"]),
        open=Opening.objects.of(collection).count(),
        **_closed_counts(collection),
        waiting=sum(waiting_pairs(collection).values()),
        adjudicators=collection.memberships.filter(
            role=Role.ADJUDICATOR, user__is_active=True
        ).count(),
        people=person_rows(collection, users, shares, eligible),
        late=late_people(shares, eligible),
        eligible=eligible,
    )
    board.advice.extend(advice(board))
    return board


def _settled_cases(collection: Collection) -> int:
    counts = CaseCount.objects.filter(query__collection=collection)
    settled: int = counts.aggregate(settled=Coalesce(Sum("settled"), 0))["settled"]
    return settled


def _closed_counts(collection: Collection) -> Mapping[str, Any]:
    """By the fields of the board.

    With the open queries, the database would join their papers, pools and documents too.
    """
    return collection.queries.filter(opening=None).aggregate(
        closed=Count("pk"),
        without_pool=Count("pk", filter=Q(query_paper__pool=None)),
        ready=Count("pk", filter=is_ready(collection)),
    )


# Queries that are open


def open_queries_matching(collection: Collection, words: str = "") -> QuerySet[Query]:
    """The open queries whose name, facet or annotators have every word, ready for `open_rows`."""
    queries = (
        collection.queries.filter(opening__isnull=False)
        .select_related("facet", *SOURCES)
        .select_related("opening__guideline", "pair_count", "case_count")
        .defer(*UNSHOWN_COLUMNS, "opening__guideline__instructions", "opening__guideline__grades")
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
        cases_remaining=CASES_REMAINING,
    )


def open_rows(
    queries: Sequence[Query],
    late: Group[int] = frozenset(),
    advice: Mapping[str, QueryAdvice] = NO_ADVICE,
) -> list[OpenRow]:
    """The rows of these open queries, in three database queries.

    `late` has the primary keys of the people who will not finish, and `advice` the queries' names.
    """
    seats = _seat_rows(queries)
    risks = risks_of(queries, late)
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
            risk=risks.get(query.pk, NO_RISK),
            late=[
                seat.annotator
                for seat in seats[query.pk]
                if seat.judged.remaining and seat.annotator.pk in late
            ],
            advice=(
                advice.get(query.name) if query.pair_count.judged < query.pair_count.total else None
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
    """The number of judged slots of a seat."""
    counts = SlotCount.objects.filter(query=opening.query_id, number=number)
    sums = counts.aggregate(judged=Coalesce(Sum("judged"), 0), total=Coalesce(Sum("total"), 0))
    return Completion(sums["judged"], sums["total"])


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


def _there_are(number: int) -> str:
    return "there is only one" if number else "there is none"


def _queries(number: int) -> str:
    return "1 query" if number == 1 else f"{number:,} queries"


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def _cases_wait(number: int) -> str:
    return f"{number:,} {'case waits' if number == 1 else 'cases wait'} for adjudication"
