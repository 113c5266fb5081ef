"""The annotators of a collection: their share of the work, their pace, who can get a seat."""

from __future__ import annotations

from collections.abc import Collection as Group
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any, NamedTuple

from django.db.models import Count, F, JSONField, Max, OuterRef, Q, QuerySet, Subquery, Sum

from accounts.models import Collection, Role, User
from annotation.models import Judgment, SlotCount
from annotation.queue import RECENT, minutes_of, rough_time
from dashboard.board.completion import Completion


class AnnotatorShare(NamedTuple):
    """A person's share of the judging: slots, and the number of queries with unjudged ones."""

    judged: Completion = Completion(0, 0)
    queries: int = 0
    latest: int | None = None  # the id of the latest judgment


@dataclass(frozen=True)
class PersonRow:
    """An annotator's share of the work. `pace` is in seconds a judgment, None until measured."""

    user: User
    judged: Completion
    queries: int
    pace: float | None
    planned: float
    last_judged: datetime | None
    can_open: bool

    @property
    def time_left(self) -> str:
        """At the person's own pace, or at the collection's while that is not known."""
        return rough_time(minutes_of(self.judged.remaining, self.pace or self.planned))


def eligible_annotators(collection: Collection) -> QuerySet[User]:
    """The annotators who can log in. None of them is an admin of the collection."""
    return User.objects.filter(
        is_active=True,
        memberships__collection=collection,
        memberships__role=Role.ANNOTATOR,
    ).order_by("username")


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
    """A row for each of the users, in two more database queries."""
    people = list(users)
    pace = recent_pace(collection, people)
    latest = [share.latest for user in people if (share := shares.get(user.pk)) and share.latest]
    last = dict(Judgment.objects.filter(pk__in=latest).values_list("annotator", "created_at"))
    return [
        PersonRow(
            user=user,
            judged=shares.get(user.pk, AnnotatorShare()).judged,
            queries=shares.get(user.pk, AnnotatorShare()).queries,
            pace=pace.get(user.pk),
            planned=collection.seconds_per_judgment,
            last_judged=last.get(user.pk),
            can_open=user.pk in eligible,
        )
        for user in people
    ]


def shares_of(collection: Collection) -> dict[int, AnnotatorShare]:
    """Each annotator's share, by primary key."""
    rows = (
        SlotCount.objects.filter(query__collection=collection, total__gt=0)
        .order_by()
        .values_list("annotator")
        .annotate(
            done=Sum("judged"),
            slots=Sum("total"),
            queries=Count("query", filter=Q(judged__lt=F("total")), distinct=True),
            newest=Max("latest"),
        )
    )
    return {
        user: AnnotatorShare(Completion(judged, total), queries, latest)
        for user, judged, total, queries, latest in rows
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
