"""The tables of Progress, of people and of queries: their filters and columns."""

from __future__ import annotations

from collections.abc import Collection as Group
from collections.abc import Iterable, Sequence

from django.db.models import F, Q

from accounts.models import Collection, User
from annotation.unchecked_labels import has_unchecked_labels
from corpus.models import Facet
from dashboard.board.annotators import PersonRow
from dashboard.board.closed_queries import ClosedRow, is_ready
from dashboard.board.query_table import QUERY_COLUMNS, facet_filter
from dashboard.board.rows import OpenRow
from web.tables.columns import Column, Table
from web.tables.filters import Filter, FilterChoice

MANY = 12  # people; of more, the search finds one more quickly than chips do

ALL_JUDGED = Q(pair_count__judged=F("pair_count__total"))
FINISHED = ALL_JUDGED & Q(cases_remaining=0)
AT_RISK, TO_JUDGE, CASES, IS_FINISHED = "at-risk", "open", "cases", "finished"
NOT_OPEN, READY, UNCHECKED, NO_POOL = CLOSED = ("not-open", "ready", "unchecked", "no-pool")


FILTER_NAMES = ("state", "facet", "annotator")


def state_filter(risky: Group[int] = (), closed: Sequence[FilterChoice[Q]] = ()) -> Filter[Q]:
    """The states of open queries, and of the others those that are `closed`.

    `risky` has the primary keys of the queries at risk.
    """
    choices = [
        FilterChoice(AT_RISK, "At risk", Q(pk__in=risky)),
        FilterChoice(TO_JUDGE, "To judge", ~ALL_JUDGED),
        FilterChoice(CASES, "Cases to decide", Q(cases_remaining__gt=0)),
        FilterChoice(IS_FINISHED, "Finished", FINISHED),
        FilterChoice("all", "All open", Q(opening__isnull=False)),
        FilterChoice(NOT_OPEN, "Not open", Q(opening=None)),
    ]
    return Filter("state", "State", [*choices, *closed])


def annotator_filter(people: Iterable[User]) -> Filter[Q]:
    choices = [
        FilterChoice(user.username, user.shown_name, Q(opening__seats__annotator=user))
        for user in people
    ]
    return Filter("annotator", "Annotator", choices if len(choices) <= MANY else [])


def board_filters(
    facets: Sequence[Facet], people: Iterable[User], risky: Group[int]
) -> list[Filter[Q]]:
    """Of the open queries."""
    return [state_filter(risky), facet_filter(facets), annotator_filter(people)]


def closed_filters(collection: Collection, facets: Sequence[Facet]) -> list[Filter[Q]]:
    closed = [
        FilterChoice(READY, "Ready", is_ready(collection)),
        FilterChoice(UNCHECKED, "Labels unchecked", has_unchecked_labels()),
        FilterChoice(NO_POOL, "No pool", Q(query_paper__pool=None)),
    ]
    return [state_filter(closed=closed), facet_filter(facets)]


def _seat_column(number: int) -> Column[OpenRow]:
    return Column(
        f"slot{number}",
        f"Slot {number}",
        {
            f"annotator_{number}": lambda row: row.seats[number - 1].annotator.shown_name,
            f"judged_{number}": lambda row: row.seats[number - 1].judged.done,
            f"pairs_{number}": lambda row: row.seats[number - 1].judged.total,
        },
    )


BOARD: Table[OpenRow] = Table(
    "board",
    [
        *QUERY_COLUMNS,
        _seat_column(1),
        _seat_column(2),
        Column(
            "both",
            "Both",
            {
                "pairs_with_both_judgments": lambda row: row.both.done,
                "pairs": lambda row: row.both.total,
            },
        ),
        Column(
            "adjudication",
            "Adjudication",
            {
                "cases_decided": lambda row: row.cases.done,
                "cases": lambda row: row.cases.total,
            },
        ),
        Column(
            "last",
            "Last judged",
            {"last_judged": lambda row: row.risk.last_judged and row.risk.last_judged.isoformat()},
        ),
        Column("risk", "At risk because", {"risk": lambda row: row.risk_text}),
        Column(
            "advice",
            "Stopping advice",
            {
                "stop": lambda row: row.advice and row.advice.says_stop,
                "nothing_in_next_ten": lambda row: row.outlook and row.outlook.nothing,
                "expected_left": lambda row: row.outlook and row.outlook.expected,
                "expected_left_low": lambda row: row.outlook and row.outlook.low,
                "expected_left_high": lambda row: row.outlook and row.outlook.high,
            },
        ),
        Column(
            "opened",
            "Opened",
            {
                "opened_at": lambda row: row.opening.opened_at.isoformat(),
                "guideline_version": lambda row: row.opening.guideline.version,
            },
        ),
    ],
)

CLOSED_QUERIES: Table[ClosedRow] = Table(
    "closed-queries",
    [
        *QUERY_COLUMNS,
        Column("pairs", "Pairs", {"pairs": lambda row: row.pairs}),
        Column(
            "pool",
            "Pool",
            {
                "pool": lambda row: row.pool,
                "problem": lambda row: row.problem,
                "labels_unchecked": lambda row: row.labels_unchecked,
            },
        ),
    ],
)

ANNOTATORS: Table[PersonRow] = Table(
    "annotators",
    [
        Column(
            "name",
            "Annotator",
            {
                "name": lambda person: person.user.shown_name,
                "username": lambda person: person.user.username,
            },
        ),
        Column(
            "judged",
            "Judged",
            {
                "judged": lambda person: person.judged.done,
                "pairs": lambda person: person.judged.total,
                "unfinished_queries": lambda person: person.share.queries,
            },
        ),
        Column("pace", "Pace", {"seconds_per_pair": lambda person: person.pace}),
        Column("left", "Time left", {"minutes_left": lambda person: person.minutes_left}),
        Column(
            "last",
            "Last judged",
            {
                "last_judged": lambda person: (
                    person.share.last_judged and person.share.last_judged.isoformat()
                )
            },
        ),
        Column(
            "forecast",
            "Forecast",
            {
                "finishes_on": lambda person: person.finishes_on,
                "problem": lambda person: person.problem,
            },
        ),
        Column(
            "due",
            "Due",
            {
                "due_on": lambda person: person.due_on,
                "lateness": lambda person: person.lateness,
            },
        ),
    ],
)
