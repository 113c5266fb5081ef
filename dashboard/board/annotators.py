"""The annotators of a collection: their share of the work, their pace, and when they finish."""

from __future__ import annotations

from collections.abc import Collection as Group
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import median
from typing import Any, NamedTuple

from django.db.models import (
    Count,
    F,
    JSONField,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)
from django.utils import timezone

from accounts.models import Collection, User
from annotation.deadlines.services import deadlines_of
from annotation.models import Judgment, SlotCount
from annotation.queue import RECENT, minutes_of, rough_time
from annotation.team.plans import eligible_annotators
from dashboard.board.completion import Completion
from web.words import count_noun

IDLE = timedelta(days=7)  # without a judgment, before a person or a query counts as stopped
RATE_DAYS = 14  # over which the pairs a day are counted
YEAR = 365  # days; a forecast beyond it has no date


class AnnotatorShare(NamedTuple):
    """A person's share of the judging: slots, and the number of queries with unjudged ones.

    `recent` is the judgments in the queries with a judgment in the last RATE_DAYS days. Counting
    the judgments of these days themselves would read all of them.
    """

    judged: Completion = Completion(0, 0)
    queries: int = 0
    recent: int = 0
    last_judged: datetime | None = None
    first_opened: datetime | None = None


@dataclass(frozen=True)
class PersonRow:
    """An annotator's share of the work. `pace` is in seconds a judgment, None until measured.

    `due_on` is the last day for the share, None without one.
    """

    user: User
    share: AnnotatorShare
    pace: float | None
    planned: float
    can_open: bool
    now: datetime
    due_on: date | None = None

    @property
    def judged(self) -> Completion:
        return self.share.judged

    @property
    def seconds_a_pair(self) -> float:
        """The person's own pace, or the collection's while that is not known."""
        return self.pace or self.planned

    @property
    def seconds_left(self) -> float:
        return self.judged.remaining * self.seconds_a_pair

    @property
    def minutes_left(self) -> int:
        return minutes_of(self.judged.remaining, self.seconds_a_pair)

    @property
    def time_left(self) -> str:
        return rough_time(self.minutes_left)

    @property
    def problem(self) -> str:
        """The reason why the person will not finish; "" if there is none."""
        return problem_of(self.share, self.now, can_open=self.can_open)

    @property
    def pairs_a_day(self) -> float | None:
        """Of the last RATE_DAYS days, or since the first query opened; None if not known."""
        if self.problem or not self.share.recent or self.share.first_opened is None:
            return None
        days = min(RATE_DAYS, max(1.0, (self.now - self.share.first_opened) / timedelta(days=1)))
        return self.share.recent / days

    @property
    def days_left(self) -> float | None:
        """At the pairs a day; None if they cannot be said."""
        return self.judged.remaining / self.pairs_a_day if self.pairs_a_day else None

    @property
    def needed_a_day(self) -> float | None:
        """The pairs a day that meet the date, today included; None without a date to come."""
        today = timezone.localdate(self.now)
        if self.due_on is None or self.due_on < today:
            return None
        return self.judged.remaining / ((self.due_on - today).days + 1)

    @property
    def lateness(self) -> str:
        """The reason why the date will be missed; "" if it will not be, or that cannot be said."""
        if self.due_on is None or not self.judged.remaining:
            return ""
        if self.due_on < timezone.localdate(self.now):
            return "the date is over"
        if self.problem:
            return self.problem
        if self.days_left is None:
            return ""
        if self.finishes_on is None:
            return f"more than {count_noun(YEAR, 'day')} late"
        late = (self.finishes_on - self.due_on).days
        return f"{count_noun(late, 'day')} late at this pace" if late > 0 else ""

    @property
    def finishes_on(self) -> date | None:
        """The day of the last judgment, at most a year ahead."""
        days = self.days_left
        if not self.judged.remaining or days is None or days > YEAR:
            return None
        return timezone.localdate(self.now + timedelta(days=days))

    @property
    def forecast(self) -> str:
        """In words, where there is no date."""
        if self.days_left is None:
            return self.problem or "not started"
        return "in more than a year"


def problem_of(share: AnnotatorShare, now: datetime, *, can_open: bool) -> str:
    if not share.judged.remaining:
        return ""
    if not can_open:
        return "can no longer judge"
    since = share.last_judged or share.first_opened
    if since is None or now - since < IDLE:
        return ""
    days = count_noun((now - since).days, "day")
    return f"no judgment for {days}" if share.last_judged else f"not started for {days}"


def late_people(shares: Mapping[int, AnnotatorShare], eligible: Group[int]) -> frozenset[int]:
    """The primary keys of the people who will not finish."""
    now = timezone.now()
    return frozenset(
        pk for pk, share in shares.items() if problem_of(share, now, can_open=pk in eligible)
    )


class Outlook(NamedTuple):
    """Of the people with pairs left: those who will not finish, and the last of the others.

    `missing` are those who will miss their date.
    """

    unfinished: int
    late: list[PersonRow]
    last: PersonRow | None
    missing: list[PersonRow]


def outlook_of(rows: Iterable[PersonRow]) -> Outlook:
    unfinished = [row for row in rows if row.judged.remaining]
    dated = [row for row in unfinished if row.finishes_on]
    return Outlook(
        len(unfinished),
        [row for row in unfinished if row.problem],
        max(dated, key=lambda row: row.days_left or 0, default=None),
        [row for row in unfinished if row.lateness],
    )


def annotators(collection: Collection, holders: Iterable[int]) -> QuerySet[User]:
    """The people with slots, whose primary keys are `holders`, and every eligible annotator.

    By username. `shares_of` has the holders as its keys.
    """
    eligible = eligible_annotators(collection).order_by().values("pk")
    return User.objects.filter(Q(pk__in=list(holders)) | Q(pk__in=eligible)).order_by("username")


def person_rows(
    collection: Collection,
    users: Iterable[User],
    shares: dict[int, AnnotatorShare],
    eligible: Group[int],
) -> list[PersonRow]:
    """A row for each of the users, the longest time left first. Two more database queries."""
    people = list(users)
    unfinished = [user for user in people if user.pk in shares and shares[user.pk].judged.remaining]
    pace = recent_pace(collection, unfinished)
    dates = deadlines_of(collection)
    now = timezone.now()
    rows = [
        PersonRow(
            user=user,
            share=shares.get(user.pk, AnnotatorShare()),
            pace=pace.get(user.pk),
            planned=collection.seconds_per_judgment,
            can_open=user.pk in eligible,
            now=now,
            due_on=dates.get(user.pk, dates.get(None)),
        )
        for user in people
    ]
    return sorted(rows, key=lambda row: -row.seconds_left)


def shares_of(collection: Collection, person: User | None = None) -> dict[int, AnnotatorShare]:
    """The share of each annotator, or of the person, by primary key."""
    counts = SlotCount.objects.filter(query__collection=collection, total__gt=0)
    if person is not None:
        counts = counts.filter(annotator=person)
    recently = timezone.now() - timedelta(days=RATE_DAYS)
    rows = (
        counts.order_by()
        .values_list("annotator")
        .annotate(
            done=Sum("judged"),
            slots=Sum("total"),
            queries=Count("query", filter=Q(judged__lt=F("total")), distinct=True),
            recent=Sum("judged", filter=Q(latest_at__gte=recently), default=0),
            last_judged=Max("latest_at"),
            first_opened=Min("query__opening__opened_at"),
        )
    )
    return {
        user: AnnotatorShare(Completion(judged, total), *rest)
        for user, judged, total, *rest in rows
    }


class JsonArray(Subquery):
    """The values of a subquery with the column `seconds`, as a list; None without rows."""

    template = "(SELECT jsonb_agg(seconds) FROM (%(subquery)s) recent)"
    output_field = JSONField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = self.template.replace("jsonb_agg", "json_group_array")
        return self.as_sql(compiler, connection, template=template, **context)


def recent_pace(collection: Collection, users: Iterable[User]) -> dict[int, float]:
    """Annotator to the median seconds of the latest judgments: a break does not move a median."""
    recent = Judgment.objects.filter(
        annotator=OuterRef("pk"), slot__pair__query__collection=collection, seconds__isnull=False
    ).order_by("-pk")
    people = User.objects.filter(pk__in=[user.pk for user in users]).order_by()
    rows = people.values_list("pk", JsonArray(recent.values("seconds")[:RECENT]))
    return {annotator: median(seconds) for annotator, seconds in rows if seconds}
