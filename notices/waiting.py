"""Notices: in each collection of a person, the number of things of each kind that wait."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection as Group
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, NamedTuple

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Sum
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import ngettext

from accounts.models import JUDGES, JUDGES_AND_ADJUDICATORS, Collection, Membership, Role, User
from adjudication.queue import due_cases
from annotation.deadlines.models import due_on_of
from annotation.help_requests.reading import unread_answers
from annotation.models import Basis, HelpRequest, Level, Repeat, SlotCount
from annotation.qualifications.standing import latest_basis
from annotation.queue import repeat_counts
from jobs.models import Job
from notices.models import NoticeKind

FAILED_DAYS = 14  # for so long, a failed job that was not tried again is in the list
PLACES = {
    NoticeKind.CASES: "adjudicate",
    NoticeKind.PAIRS: "judge",
    NoticeKind.ANSWERS: "own-help-requests",
    NoticeKind.QUESTIONS: "help-requests",
    NoticeKind.FAILED_JOBS: "jobs",
}
Roles = Mapping[Collection, Group[str]]


@dataclass(frozen=True)
class PersonalWork:
    """A person's work in one collection: pairs to judge, and cases that are due."""

    pairs: int = 0
    judged: int = 0
    due: int = 0

    @property
    def remaining(self) -> int:
        return self.pairs - self.judged


class Notice(NamedTuple):
    """So many things of a kind wait in a collection. `due_on` is the date for the pairs, if any."""

    kind: NoticeKind
    collection: Collection
    number: int
    due_on: date | None = None

    @property
    def path(self) -> str:
        return reverse(PLACES[self.kind], args=[self.collection.slug])

    @property
    def text(self) -> str:
        """The sentence, in the language that is active."""
        day = date_format(self.due_on) if self.due_on else ""
        values = {"number": self.number, "date": day}
        return _sentence(self.kind, self.number, with_date=self.due_on is not None) % values


def _sentence(kind: NoticeKind, number: int, *, with_date: bool) -> str:
    match kind:
        case NoticeKind.CASES:
            return ngettext(
                "%(number)s case waits for you", "%(number)s cases wait for you", number
            )
        case NoticeKind.PAIRS if with_date:
            return ngettext(
                "You have %(number)s pair to judge by %(date)s",
                "You have %(number)s pairs to judge by %(date)s",
                number,
            )
        case NoticeKind.PAIRS:
            return ngettext(
                "You have %(number)s pair to judge", "You have %(number)s pairs to judge", number
            )
        case NoticeKind.ANSWERS:
            return ngettext(
                "%(number)s answer of an admin is unread",
                "%(number)s answers of an admin are unread",
                number,
            )
        case NoticeKind.QUESTIONS:
            return ngettext(
                "%(number)s question to the admin waits for your answer",
                "%(number)s questions to the admin wait for your answer",
                number,
            )
        case NoticeKind.FAILED_JOBS:
            return ngettext(
                "%(number)s job failed and was not tried again",
                "%(number)s jobs failed and were not tried again",
                number,
            )


def active_roles(user: User) -> dict[Collection, set[str]]:
    """The person's roles in the collections that are neither archived nor still imported."""
    roles: dict[Collection, set[str]] = defaultdict(set)
    active = Collection.objects.active().finished()
    memberships = Membership.objects.filter(user=user, collection__in=active)
    for membership in memberships.select_related("collection"):
        roles[membership.collection].add(membership.role)
    return roles


def personal_work(user: User, collections: Iterable[Collection]) -> dict[int, PersonalWork]:
    """The user's own work in each collection, by its id, in a fixed number of queries."""
    ids = [collection.pk for collection in collections]
    work = {pk: PersonalWork() for pk in ids}
    slots = SlotCount.objects.filter(annotator=user, query__collection__in=ids).order_by()
    for pk, pairs, judged in slots.values_list("query__collection").annotate(
        Sum("total"), Sum("judged")
    ):
        work[pk] = replace(work[pk], pairs=pairs, judged=judged)
    # The person does not know which pairs are repeats, so they are in every count of the own work.
    own_repeats = Repeat.objects.filter(query__collection__in=ids)
    for pk, (total, judged, *_) in repeat_counts(own_repeats, user, "query__collection").items():
        pairs, before = work[pk].pairs + total, work[pk].judged
        work[pk] = replace(work[pk], pairs=pairs, judged=before + judged)
    for pk, due in due_cases(ids, user).items():
        work[pk] = replace(work[pk], due=due)
    return work


def notices_for(
    user: User, roles: Roles, work: Mapping[int, PersonalWork] | None = None
) -> list[Notice]:
    """The notices of the person, by collection. One query if `work` is given.

    `roles` are the person's in each of the collections.
    """
    if not roles:
        return []
    work = personal_work(user, roles) if work is None else work
    more = _counts(user, roles)
    ordered = sorted(roles, key=lambda collection: (collection.name, collection.slug))
    return [
        notice
        for collection in ordered
        for notice in _in_collection(
            collection, roles[collection], work[collection.pk], more.get(collection.pk, _Counts())
        )
        if notice.number
    ]


class _Counts(NamedTuple):
    """The answer of one statement about a collection; numbers are None where there is nothing.

    Columns are None, too, if no role or rule of the collections needs them.
    """

    answers: int | None = None
    questions: int | None = None
    failed_jobs: int | None = None
    due_on: date | None = None
    may_judge: str | None = None
    may_decide: str | None = None


def _in_collection(
    collection: Collection, roles: Group[str], work: PersonalWork, counts: _Counts
) -> Iterator[Notice]:
    """With zeros. A person learns only what the own roles show."""
    waits = (None, Basis.WITHDRAWAL)
    if Role.ADJUDICATOR in roles and not (
        collection.senior_rho is not None and counts.may_decide in waits
    ):
        yield Notice(NoticeKind.CASES, collection, work.due)
    if set(roles).intersection(JUDGES) and not (
        collection.qualifying_rho is not None and counts.may_judge in waits
    ):
        yield Notice(NoticeKind.PAIRS, collection, work.remaining, counts.due_on)
    if set(roles).intersection(JUDGES_AND_ADJUDICATORS):
        yield Notice(NoticeKind.ANSWERS, collection, counts.answers or 0)
    if Role.ADMIN in roles:
        yield Notice(NoticeKind.QUESTIONS, collection, counts.questions or 0)
        yield Notice(NoticeKind.FAILED_JOBS, collection, counts.failed_jobs or 0)


def _counts(user: User, roles: Roles) -> dict[int, _Counts]:
    """By the primary key of the collection. Only needed columns: to make each takes time."""
    columns: dict[str, Any] = {}
    held = {role for each in roles.values() for role in each}
    if held.intersection(JUDGES_AND_ADJUDICATORS):
        columns["answers"] = _number_of(unread_answers(user), "facet__collection")
    if held.intersection(JUDGES):
        columns["due_on"] = due_on_of(user, "pk")
    if Role.ADMIN in held:
        recently = timezone.now() - timedelta(days=FAILED_DAYS)
        failed = Job.objects.failed().filter(finished_at__gte=recently)
        columns["questions"] = _number_of(HelpRequest.objects.open(), "facet__collection")
        columns["failed_jobs"] = _number_of(failed, "collection")
    if any(collection.qualifying_rho is not None for collection in roles):
        columns["may_judge"] = _basis(Level.JUDGE, user)
    if any(collection.senior_rho is not None for collection in roles):
        columns["may_decide"] = _basis(Level.SENIOR, user)
    if not columns:
        return {}
    rows = Collection.objects.filter(pk__in=[each.pk for each in roles]).order_by()
    found = rows.values_list("pk", *columns.values())
    return {pk: _Counts(**dict(zip(columns, row, strict=True))) for pk, *row in found}


def _basis(level: Level, user: User) -> Subquery:
    return latest_basis(level, collection=OuterRef("pk"), person=user)


def _number_of(rows: QuerySet, path: str) -> Subquery:  # type: ignore[type-arg]
    """The number of rows of the outer query's collection, or NULL for none."""
    of_collection = rows.filter(Q(**{path: OuterRef("pk")})).order_by().values(path)
    return Subquery(of_collection.annotate(number=Count("pk")).values("number"))
