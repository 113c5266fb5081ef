"""The hours of a collection's people in one week, from the active time of each answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.core.exceptions import BadRequest
from django.db.models import Count, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from accounts.models import Collection, User
from adjudication.models import BlindRating, Decision
from annotation.models import Judgment, RepeatJudgment
from web.tables.columns import Column, Table

KINDS = (gettext_noop("judgments"), gettext_noop("decisions"), gettext_noop("blind grades"))


@dataclass(frozen=True)
class WorkedWeek:
    """A person's answers in a week; `timed` of them have a time, together `seconds`.

    `kind` is one of KINDS. Revisions and hidden repeats count: they took time, too.
    """

    person: User
    week: date
    kind: str
    answers: int
    timed: int
    seconds: float

    @property
    def kind_text(self) -> str:
        return gettext(self.kind)

    @property
    def hours(self) -> float:
        return self.seconds / 3600

    @property
    def untimed(self) -> int:
        return self.answers - self.timed

    @property
    def rate(self) -> float | None:
        """Timed answers an hour; None without a time."""
        return self.timed / self.hours if self.seconds else None


def week_named(name: str) -> date:
    """The Monday of a week like "2026-W07"; of the present one for "".

    Raises:
        BadRequest: there is no such week.
    """
    try:
        return date.fromisoformat(f"{name or name_of_week(timezone.localdate())}-1")
    except ValueError as error:
        message = f'"week" must be a week like 2026-W07, got "{name[:20]}".'
        raise BadRequest(message) from error


def name_of_week(day: date) -> str:
    return day.strftime("%G-W%V")


def worked_weeks(
    collection: Collection, monday: date, person: User | None = None
) -> list[WorkedWeek]:
    """The people with answers in that week, or this person alone, in five database queries."""
    begin = timezone.make_aware(datetime.combine(monday, time.min))
    end = timezone.make_aware(datetime.combine(monday + timedelta(days=7), time.min))
    judgments = Judgment.objects.filter(slot__pair__query__collection=collection)
    repeats = RepeatJudgment.objects.filter(repeat__query__collection=collection)
    of_pairs = {"pair__query__collection": collection}
    answers: list[tuple[str, QuerySet[Any], str]] = [
        ("judgments", judgments, "annotator"),
        ("judgments", repeats, "annotator"),
        ("decisions", Decision.objects.filter(**of_pairs), "adjudicator"),
        ("blind grades", BlindRating.objects.filter(**of_pairs), "adjudicator"),
    ]
    sums: dict[tuple[str, int], tuple[int, int, float]] = {}
    for kind, of_kind, author in answers:
        for user, *row in _sums(of_kind, author, begin, end, person):
            given, timed, seconds = sums.get((kind, user), (0, 0, 0.0))
            sums[kind, user] = (given + row[0], timed + row[1], seconds + (row[2] or 0))
    people = User.objects.in_bulk({user for _, user in sums})
    weeks = (WorkedWeek(people[user], monday, kind, *row) for (kind, user), row in sums.items())
    return sorted(weeks, key=lambda week: (week.person.shown_name.lower(), KINDS.index(week.kind)))


def _sums(
    answers: QuerySet[Any], author: str, begin: datetime, end: datetime, person: User | None
) -> QuerySet[Any, Any]:
    """Author, answers, timed ones and their seconds."""
    in_week = answers.filter(created_at__gte=begin, created_at__lt=end).order_by()
    if person is not None:
        in_week = in_week.filter(**{author: person})
    rows: QuerySet[Any, Any] = in_week.values_list(author).annotate(
        answers=Count("pk"), timed=Count("seconds"), spent=Sum("seconds")
    )
    return rows


TIMESHEET: Table[WorkedWeek] = Table(
    "timesheet",
    [
        Column(
            "name",
            "Name",
            {
                "name": lambda row: row.person.shown_name,
                "username": lambda row: row.person.username,
                "week": lambda row: name_of_week(row.week),
            },
        ),
        Column(
            "answers", "Answers", {"kind": lambda row: row.kind, "answers": lambda row: row.answers}
        ),
        Column("hours", "Hours", {"hours": lambda row: round(row.hours, 2)}),
        Column("rate", "Per hour", {"per_hour": lambda row: row.rate and round(row.rate, 1)}),
        Column("timed", "Timed", {"timed": lambda row: row.timed}),
    ],
)
