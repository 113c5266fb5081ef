"""Querysets and pages of the record, by who may see them."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from django.db.models import Q
from django.utils import timezone

from accounts.actions.models import RecordedAction, RecordedActionQuerySet
from accounts.models import Collection, Role, User

PAGE_SIZE = 50


class ActionChoice(NamedTuple):
    """A choice of actions. An empty value leaves nothing out; both days are included."""

    kind: str = ""
    person: str = ""  # who did it: the username, or a part of the name
    way: str = ""
    since: date | None = None
    until: date | None = None


class ActionPage(NamedTuple):
    """Actions, the newest first, and the id of the last one if there are older ones."""

    rows: list[RecordedAction]
    older: int | None


def actions_of(collection: Collection) -> RecordedActionQuerySet:
    return RecordedAction.objects.filter(collection=collection)


def blind_collections(person: User) -> list[int]:
    """The collections in which this person has a role, and is no admin: who judges is secret."""
    roles = person.memberships.order_by()
    administered = roles.filter(role=Role.ADMIN).values_list("collection", flat=True)
    others = roles.exclude(collection__in=list(administered))
    return list(others.values_list("collection", flat=True))


def actions_for_staff(person: User) -> RecordedActionQuerySet:
    """The actions of the whole server, also those of deleted collections.

    Without collections in which this person judges, adjudicates or curates: an annotator must not
    learn who judges what.
    """
    return RecordedAction.objects.exclude(collection__in=blind_collections(person))


def matching(actions: RecordedActionQuerySet, choice: ActionChoice) -> RecordedActionQuerySet:
    if choice.kind:
        actions = actions.filter(kind=choice.kind)
    if choice.way:
        actions = actions.filter(way=choice.way)
    if choice.person:
        # The ids first, so that an index of the record finds the rows.
        actions = actions.filter(person__in=list(_people_named(choice.person)))
    if choice.since:
        actions = actions.filter(at__gte=_begin(choice.since))
    if choice.until:
        actions = actions.filter(at__lt=_begin(choice.until + timedelta(days=1)))
    return actions


def _people_named(words: str) -> list[int]:
    named = (
        Q(username__iexact=words) | Q(first_name__icontains=words) | Q(last_name__icontains=words)
    )
    return list(User.objects.filter(named).values_list("pk", flat=True)[:PAGE_SIZE])


def _begin(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


def page_of_actions(
    actions: RecordedActionQuerySet, *, before: int | None = None, size: int = PAGE_SIZE
) -> ActionPage:
    """A page of these actions: the newest, or those before the action with the id `before`.

    An unknown id gives the newest.
    """
    last = actions.filter(pk=before).first() if before else None
    if last is not None:
        actions = actions.before(last.place)
    rows = list(with_people(actions).newest_first()[: size + 1])
    return ActionPage(rows[:size], rows[size - 1].pk if len(rows) > size else None)


def with_people(actions: RecordedActionQuerySet) -> RecordedActionQuerySet:
    return actions.select_related("person", "about")
