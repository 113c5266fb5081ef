"""The table of open queries on the judging board: its filters and columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import F, Q

from accounts.models import User
from corpus.models import Facet
from dashboard.board.query_table import QUERY_COLUMNS, facet_filter
from dashboard.board.rows import OpenRow
from web.tables.columns import Column, Table
from web.tables.filters import Filter, FilterChoice

MANY = 12  # people; of more, the search finds one more quickly than chips do

ALL_JUDGED = Q(pair_count__judged=F("pair_count__total"))
PROGRESS = Filter(
    "progress",
    "Progress",
    [
        FilterChoice("unfinished", "To judge", ~ALL_JUDGED),
        FilterChoice("cases", "Cases to settle", Q(cases_remaining__gt=0)),
        FilterChoice("finished", "Finished", ALL_JUDGED & Q(cases_remaining=0)),
    ],
)


def annotator_filter(people: Iterable[User]) -> Filter[Q]:
    choices = [
        FilterChoice(user.username, user.shown_name, Q(opening__seats__annotator=user))
        for user in people
    ]
    return Filter("annotator", "Annotator", choices if len(choices) <= MANY else [])


def board_filters(facets: Sequence[Facet], people: Iterable[User]) -> list[Filter[Q]]:
    return [facet_filter(facets), annotator_filter(people), PROGRESS]


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
                "cases_settled": lambda row: row.cases.done,
                "cases": lambda row: row.cases.total,
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
