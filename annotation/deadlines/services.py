"""Set and remove dates."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import ClassVar

from django.db import transaction
from django.utils import timezone

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.actions.subjects import NOTHING, about_person
from accounts.locking import lock_collection
from accounts.models import Collection, User
from annotation.deadlines.models import Deadline
from annotation.team.plans import eligible_annotators
from web.errors import UserFacingError


class PastDeadline(UserFacingError):
    status: ClassVar[int] = 409

    def __init__(self, due_on: date) -> None:
        super().__init__(f"{due_on:%Y-%m-%d} is in the past. Enter today or a later day.")


class NoAnnotator(UserFacingError):
    """A date for a person who does not judge in the collection."""

    status: ClassVar[int] = 409

    def __init__(self, person: User, collection: Collection) -> None:
        super().__init__(f"{person.shown_name} is not an annotator of {collection} who can log in.")


def deadlines_of(collection: Collection) -> dict[int | None, date]:
    """The dates by the primary key of the annotator; that of the collection by None."""
    return dict(collection.deadlines.values_list("annotator", "due_on"))


def set_deadlines(*, collection: Collection, dates: Mapping[User | None, date | None]) -> None:
    """Set the date of each annotator, or of the collection under None. A date of None removes it.

    Others stay.

    Raises:
        PastDeadline: a new date is before today.
        NoAnnotator: a person with a new date does not judge here.
        CollectionArchived
    """
    with transaction.atomic():
        locked_collection = lock_collection(collection)
        now = deadlines_of(locked_collection)
        eligible = set(eligible_annotators(locked_collection).values_list("pk", flat=True))
        changed = {
            annotator: due_on
            for annotator, due_on in dates.items()
            if now.get(annotator.pk if annotator else None) != due_on
        }
        for annotator, due_on in changed.items():
            if due_on and due_on < timezone.localdate():
                raise PastDeadline(due_on)
            if due_on and annotator and annotator.pk not in eligible:
                raise NoAnnotator(annotator, locked_collection)
            _set(locked_collection, annotator, due_on)


def _set(collection: Collection, annotator: User | None, due_on: date | None) -> None:
    rows = Deadline.objects.filter(collection=collection, annotator=annotator)
    if due_on is None:
        rows.delete()
    elif not rows.update(due_on=due_on):
        Deadline.objects.create(collection=collection, annotator=annotator, due_on=due_on)
    record_action(
        kind=ActionKind.SETTINGS_CHANGED,
        collection=collection,
        subject=about_person(annotator) if annotator else NOTHING,
        details={"changed": ["deadline"]},
    )
