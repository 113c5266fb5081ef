"""The content of the home page and of a collection's overview, in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from typing import NamedTuple

from accounts.models import Collection, Role, User
from annotation.models import HelpRequest
from annotation.queue import pace, rough_time
from curation.labels.counts import count_labels, unlabelled_documents
from curation.models import LabelRecord
from dashboard.overview.counts import (
    JudgedOfQuery,
    counts_of,
    idle_annotators,
    open_jobs,
    query_progress,
)
from dashboard.overview.first_steps import FirstStep, first_steps, owners_first_steps
from dashboard.overview.roles import OverviewPart, sections_of
from dashboard.overview.steps import (
    QUERIES_NOT_OPEN,
    CollectionCounts,
    NextStep,
    Step,
    next_step,
    steps,
)
from dashboard.people.owners import open_work, own_work
from jobs.models import Job
from notices.models import NoticeKind
from notices.waiting import Notice, PersonalWork, active_roles, notices_for, personal_work
from web.words import count_noun, listed

SHOWN_JOBS = 5


class Card(NamedTuple):
    """A collection on a person's home page. `next_step` is for its admins."""

    collection: Collection
    roles: frozenset[str]
    work: PersonalWork
    counts: CollectionCounts | None
    next_step: NextStep | None

    @property
    def role_names(self) -> list[str]:
        return [str(role.label) for role in Role if role in self.roles]


class PersonalQueue(NamedTuple):
    """The open work of one person. `sittings` is None for a person who does not judge.

    `due_on` is the date for the pairs, if any; `answers` the notice of unread ones.
    """

    work: PersonalWork
    sittings: list[JudgedOfQuery] | None
    time_left: str
    adjudicates: bool
    curates: bool
    due_on: date | None = None
    answers: Notice | None = None


class WaitingItem(NamedTuple):
    """A line of the list "Waiting for a person", with the button that leads to its page."""

    text: str
    button: str
    place: str


class AdminOverview(NamedTuple):
    counts: CollectionCounts
    steps: tuple[Step, ...]
    next_step: NextStep
    first_steps: tuple[FirstStep, ...]
    waiting: list[WaitingItem]
    jobs: list[Job]


class OwnerOverview(NamedTuple):
    """The part of an owner-annotator. It holds nothing that depends on what others judged.

    `facts` are counts of what was set up; `open_work` says why judging cannot end yet.
    """

    facts: list[tuple[str, int]]
    first_steps: tuple[FirstStep, ...]
    open_work: list[str]


def cards_for(user: User) -> list[Card]:
    """The person's collections that are not archived."""
    roles = active_roles(user)
    work = personal_work(user, roles)
    admin_collections = [
        collection
        for collection in roles
        if OverviewPart.PIPELINE in sections_of(frozenset(roles[collection]))
    ]
    counts = counts_of(admin_collections) if admin_collections else {}
    return [
        Card(
            collection=collection,
            roles=frozenset(roles[collection]),
            work=work[collection.pk],
            counts=counts.get(collection.pk),
            next_step=next_step(counts[collection.pk]) if collection.pk in counts else None,
        )
        for collection in sorted(roles, key=lambda collection: (collection.name, collection.slug))
    ]


def notices_of(user: User, cards: Iterable[Card]) -> list[Notice]:
    """The person's notices in the collections of the cards. One query."""
    shown = list(cards)
    return notices_for(
        user,
        {card.collection: card.roles for card in shown},
        {card.collection.pk: card.work for card in shown},
    )


def archived_for(user: User) -> list[Collection]:
    return list(Collection.objects.visible_to(user).exclude(archived_at=None))


def queue_of(collection: Collection, user: User, roles: frozenset[str]) -> PersonalQueue | None:
    """The person's own work; None for an admin without another role."""
    sections = sections_of(roles)
    if sections <= {OverviewPart.PIPELINE}:
        return None
    work = personal_work(user, [collection])[collection.pk]
    notices = notices_for(user, {collection: roles}, {collection.pk: work})
    by_kind = {notice.kind: notice for notice in notices}
    pairs = by_kind.get(NoticeKind.PAIRS)
    return PersonalQueue(
        work=work,
        sittings=query_progress(collection, user) if OverviewPart.JUDGING in sections else None,
        time_left=rough_time(pace(collection, user).minutes(work.remaining)),
        adjudicates=OverviewPart.ADJUDICATION in sections,
        curates=OverviewPart.CURATION in sections,
        due_on=pairs.due_on if pairs else None,
        answers=by_kind.get(NoticeKind.ANSWERS),
    )


def admin_overview(collection: Collection, roles: frozenset[str]) -> AdminOverview | None:
    """The pipeline, open questions and jobs; None for a person whose roles do not see them."""
    if OverviewPart.PIPELINE not in sections_of(roles):
        return None
    counts = _with_labelled(collection, counts_of([collection])[collection.pk])
    return AdminOverview(
        counts=counts,
        steps=steps(counts),
        next_step=next_step(counts),
        first_steps=first_steps(counts),
        waiting=[] if collection.is_archived else _waiting_items(collection, counts),
        jobs=list(open_jobs(collection)[:SHOWN_JOBS]),
    )


def owner_overview(
    collection: Collection, user: User, roles: frozenset[str]
) -> OwnerOverview | None:
    """The checklist, counts and the end of judging; None for a person in another role."""
    if OverviewPart.SET_UP not in sections_of(roles):
        return None
    counts = _with_labelled(collection, counts_of([collection])[collection.pk])
    return OwnerOverview(
        facts=[
            ("Documents", counts.documents),
            ("Queries", counts.queries),
            ("Open for judging", counts.opened),
            ("Annotators", counts.annotators),
            ("Adjudicators", counts.adjudicators),
        ],
        first_steps=owners_first_steps(counts),
        open_work=open_work(own_work(collection, user)),
    )


def _with_labelled(collection: Collection, counts: CollectionCounts) -> CollectionCounts:
    """For the first steps."""
    if counts.has_facets and not counts.opened:
        return replace(counts, labelled=_labelled(collection))
    return counts


def _labelled(collection: Collection) -> int:
    counts = count_labels(collection)
    return counts.with_text - counts.unlabelled


def _label_items(collection: Collection) -> list[WaitingItem]:
    """The tasks that sentence labels need, in a collection with facets."""
    items = []
    if unlabelled := unlabelled_documents(collection).filter(label_record=None).count():
        text = f"{count_noun(unlabelled, 'document')} without sentence labels"
        items.append(WaitingItem(text, "Label sentences", "labels"))
    records = LabelRecord.objects.unchecked().filter(collection=collection)
    if papers := records.filter(document__query_paper__isnull=False).count():
        text = f"{count_noun(papers, 'query paper')} with unchecked labels"
        items.append(WaitingItem(text, "Check labels", "labels"))
    return items


def _waiting_items(collection: Collection, counts: CollectionCounts) -> list[WaitingItem]:
    idle = idle_annotators(collection) if counts.unopened or counts.empty_slots else []
    items = []
    if counts.failed_jobs:
        text = f"{count_noun(counts.failed_jobs, 'job')} failed and can be tried again"
        items.append(WaitingItem(text, "View jobs", "jobs"))
    if counts.opened and (asked := HelpRequest.objects.of(collection).open().count()):
        text = f"{count_noun(asked, 'question')} to the admin without an answer"
        items.append(WaitingItem(text, "Answer", "help-requests"))
    if counts.has_facets:
        items += _label_items(collection)
    if counts.pools and counts.unopened:
        text = f"{count_noun(counts.unopened, 'query', 'queries')} without judges"
        items.append(WaitingItem(text, "Assign judges", QUERIES_NOT_OPEN))
    if counts.due:
        text = f"{count_noun(counts.due, 'case')} for the adjudicator"
        items.append(WaitingItem(text, "View progress", "board"))
    if idle and counts.opened:
        names = listed([person.shown_name for person in idle], most=5)
        text = f"{count_noun(len(idle), 'annotator')} with nothing to judge: {names}"
        items.append(WaitingItem(text, "Assign queries", QUERIES_NOT_OPEN))
    return items
