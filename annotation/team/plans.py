"""The shared parts of opening and rebalancing: the plan shown, and the job that follows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from django.db.models import QuerySet

from accounts.locking import lock_collection
from accounts.models import JUDGES, Collection, User
from annotation.services import JudgingConflict
from jobs.context import JobContext
from jobs.models import Job
from jobs.services import enqueue

AT_ONCE = 50  # queries or seats that a request changes by itself; more of them are a job
STEP = 10  # queries or seats that a job changes in one transaction


class PlanChanged(JudgingConflict):
    """The work or the people changed since the plan was shown."""

    def __init__(self) -> None:
        super().__init__(
            "Nothing was changed, because the queries, the people or their work changed since you "
            "saw this plan. Check the new plan and confirm it."
        )


class InProgress(JudgingConflict):
    """A job of the same kind has not ended."""

    def __init__(self) -> None:
        super().__init__(
            "Nothing was changed, because an earlier job of this kind is in progress. Wait until "
            "it ends, or cancel it."
        )


class PersonPlan(NamedTuple):
    """An annotator in a plan. Pairs are unjudged ones, now and afterwards."""

    annotator: User
    queries: int
    pairs: int
    left_before: int
    left_after: int


def eligible_annotators(collection: Collection) -> QuerySet[User]:
    """The annotators who can log in. None of them is an admin of the collection."""
    return User.objects.filter(
        is_active=True,
        memberships__collection=collection,
        memberships__role__in=JUDGES,
    ).order_by("username")


def request_job(
    kind: str, collection: Collection, parameters: dict[str, Any], requested_by: User | None
) -> Job:
    """Queue the job that follows a confirmed plan.

    Raises:
        InProgress: a job of this kind with another plan has not ended.
    """
    job = enqueue(
        kind=kind, collection=collection, parameters=parameters, requested_by=requested_by
    )
    if job.parameters != parameters:
        raise InProgress
    return job


def people_named(usernames: Iterable[str]) -> dict[str, User]:
    return {user.username: user for user in User.objects.filter(username__in=set(usernames))}


def change_in_steps(
    items: Sequence[Any],
    change: Callable[[Any], None],
    collection: Collection,
    work: JobContext,
    note: str,
) -> None:
    """Change the items under the collection's lock, `STEP` of them in each transaction."""
    for start in range(0, len(items), STEP):
        work.progress(start, len(items), note)
        with work.fenced():
            lock_collection(collection)
            for item in items[start : start + STEP]:
                change(item)
