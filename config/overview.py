"""What home and a collection's overview show, gathered in a fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection as Held
from typing import NamedTuple

from accounts.models import Collection, Membership, Role, User
from config import pipeline
from config.pipeline import Counts, NextStep, Sitting, Step, Work, many
from jobs.models import Job

SHOWN_JOBS = 5


class Card(NamedTuple):
    """One collection on somebody's home page; `next_step` is for its admins."""

    collection: Collection
    roles: frozenset[str]
    work: Work
    counts: Counts | None
    next_step: NextStep | None

    @property
    def role_names(self) -> list[str]:
        return [role.label for role in Role if role in self.roles]


class Queue(NamedTuple):
    """What waits for one person; a part is None without the role for it."""

    work: Work
    sittings: list[Sitting] | None
    minutes: int
    adjudicates: bool

    @property
    def hours(self) -> int:
        return round(self.minutes / 60)


class Waiting(NamedTuple):
    """Something only a person can move on. Without a `button` it is just said."""

    text: str
    button: str
    place: str


class Board(NamedTuple):
    counts: Counts
    steps: tuple[Step, ...]
    next_step: NextStep
    waiting: list[Waiting]
    jobs: list[Job]


def cards_for(user: User) -> list[Card]:
    roles: dict[Collection, set[str]] = defaultdict(set)
    for held in Membership.objects.filter(user=user).select_related("collection"):
        roles[held.collection].add(held.role)
    work = pipeline.work_of(user, roles)
    run_by_me = [collection for collection in roles if Role.ADMIN in roles[collection]]
    counts = pipeline.counts_of(run_by_me) if run_by_me else {}
    return [
        Card(
            collection=collection,
            roles=frozenset(roles[collection]),
            work=work[collection.pk],
            counts=counts.get(collection.pk),
            next_step=pipeline.next_step(counts[collection.pk])
            if collection.pk in counts
            else None,
        )
        for collection in sorted(roles, key=lambda collection: (collection.name, collection.slug))
    ]


def queue_of(collection: Collection, user: User, roles: Held[str]) -> Queue | None:
    """The person's own work, or None for somebody who neither judges nor adjudicates."""
    if Role.ANNOTATOR not in roles and Role.ADJUDICATOR not in roles:
        return None
    work = pipeline.work_of(user, [collection])[collection.pk]
    return Queue(
        work=work,
        sittings=pipeline.sittings(collection, user) if Role.ANNOTATOR in roles else None,
        minutes=max(1, round(work.left * collection.seconds_per_judgment / 60)),
        adjudicates=Role.ADJUDICATOR in roles,
    )


def board_of(collection: Collection) -> Board:
    counts = pipeline.counts_of([collection])[collection.pk]
    jobs = list(pipeline.open_jobs(collection)[:SHOWN_JOBS])
    return Board(
        counts=counts,
        steps=pipeline.steps(counts),
        next_step=pipeline.next_step(counts),
        waiting=_waiting(collection, counts),
        jobs=jobs,
    )


def _waiting(collection: Collection, counts: Counts) -> list[Waiting]:
    idle = pipeline.idle_annotators(collection) if counts.unopened or counts.empty_slots else []
    waiting = []
    if counts.failed_jobs:
        failed = many(counts.failed_jobs, "job")
        waiting.append(Waiting(f"{failed} failed and can be tried again", "See the jobs", "jobs"))
    if counts.pools and counts.unopened:
        text = f"{many(counts.unopened, 'query', 'queries')} without judges"
        waiting.append(Waiting(text, "Assign judges", "board"))
    if counts.due:
        text = f"{many(counts.due, 'case')} for the adjudicator"
        waiting.append(Waiting(text, "See the board", "board"))
    if idle and counts.opened:
        names = ", ".join(person.shown_name for person in idle)
        text = f"{many(len(idle), 'annotator')} with nothing to judge: {names}"
        waiting.append(Waiting(text, "Assign queries", "board"))
    return waiting
