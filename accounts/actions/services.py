"""Services that add to the record, and empty its old addresses."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from accounts.actions.actors import Actor, current_actor
from accounts.actions.kinds import DETAILS, ActionKind, SubjectKind
from accounts.actions.models import RecordedAction
from accounts.actions.subjects import NOTHING, Subject, about, about_person
from accounts.models import UNFINISHED, Collection, User

LONGEST_TEXT = 500  # of a value in the details, as reasons have
AT_ONCE = 1_000  # rows whose addresses are emptied in one transaction


class NotHarmless(ValueError):
    """A detail that the record must not keep. It is an error of the program."""

    def __init__(self, name: str, value: object) -> None:
        super().__init__(f"The detail {name!r} of an action cannot be {value!r}.")


class OutsideTransaction(RuntimeError):
    def __init__(self, kind: str) -> None:
        super().__init__(f"{kind} is recorded outside of the transaction that does it.")


def record_action(
    *,
    kind: ActionKind,
    collection: Collection | None = None,
    subject: Subject = NOTHING,
    details: Mapping[str, object] | None = None,
    by: User | None = None,
) -> None:
    """Add an action of the current actor, in the transaction that does it.

    So both commit or neither does. A service calls this after its locks. `by` is the person for
    code that no person runs by a page, such as a command that names one. The rows of a collection
    that is still being imported belong to the import, which is recorded at its end.

    Raises:
        OutsideTransaction: there is no transaction.
        NotHarmless: a detail is unknown or is no short plain value.
    """
    if not connection.in_atomic_block:
        raise OutsideTransaction(kind)
    if collection is not None and collection.slug.startswith(UNFINISHED):
        return
    _row(current_actor(), kind, collection, subject, details or {}, by).save(force_insert=True)


def record_login(actor: Actor) -> None:
    with transaction.atomic():
        _row(actor, ActionKind.LOGGED_IN, None, NOTHING, {}, None).save(force_insert=True)


def record_once_an_hour(
    *,
    kind: ActionKind,
    collection: Collection | None = None,
    subject: Subject = NOTHING,
    details: Mapping[str, object] | None = None,
) -> None:
    """Record that the current person read something of others: once an hour, with these details.

    For a page that is only read, which has no transaction. People who read their own data, and
    commands, are not recorded.
    """
    actor = current_actor()
    if actor.person_id is None or (subject.person and subject.person.pk == actor.person_id):
        return
    _record_once(_row(actor, kind, collection, subject, details or {}, None))


def record_person_read(*, collection: Collection, person: User, page: str) -> None:
    """Record that a page showed how this person works. His or her own reading is not recorded."""
    record_once_an_hour(
        kind=ActionKind.PERSON_READ,
        collection=collection,
        subject=about_person(person),
        details={"page": page},
    )


def record_people_read(*, collection: Collection, page: str) -> None:
    """As `record_person_read`, for a page that shows each of several people."""
    record_once_an_hour(
        kind=ActionKind.PERSON_READ,
        collection=collection,
        subject=about(SubjectKind.PEOPLE),
        details={"page": page},
    )


def record_login_limit(actor: Actor) -> None:
    """Record that an address reached the limit of tries to log in: once an hour.

    Without the username, which is what a stranger typed. It may be a password.
    """
    _record_once(_row(actor, ActionKind.LOGIN_LIMIT_REACHED, None, NOTHING, {}, None))


def _record_once(row: RecordedAction) -> None:
    """Add the row unless the hour has its like. A reload finds it without writing."""
    what = (row.person_id, row.kind, row.collection_id, row.subject_kind, row.subject_id)
    where = row.address if row.person_id is None else ""
    digest = hashlib.sha256(repr((what, sorted(row.details.items()), where)).encode()).hexdigest()
    row.once = f"{row.at:%Y-%m-%d %H} {digest}"
    if not RecordedAction.objects.filter(once=row.once).exists():
        RecordedAction.objects.bulk_create([row], ignore_conflicts=True)


def _row(
    actor: Actor,
    kind: ActionKind,
    collection: Collection | None,
    subject: Subject,
    details: Mapping[str, object],
    by: User | None,
) -> RecordedAction:
    return RecordedAction(
        at=timezone.now(),
        kind=kind,
        collection=collection,
        collection_slug=collection.slug if collection else "",
        person_id=actor.person_id or (by.pk if by else None),
        subject_kind=subject.kind,
        subject_id=subject.id,
        subject_label=subject.label,
        about=subject.person,
        details=_checked(details),
        way=actor.way,
        tool=actor.tool,
        address=actor.address,
        agent=actor.agent,
    )


def _checked(details: Mapping[str, object]) -> dict[str, Any]:
    for name, value in details.items():
        values = value if isinstance(value, list) else [value]
        plain = all(isinstance(each, str | int | bool) for each in values)
        if name not in DETAILS or not plain or len(str(value)) > LONGEST_TEXT:
            raise NotHarmless(name, value)
    return dict(details)


def empty_old_addresses() -> int:
    """Empty the addresses older than ACTION_ADDRESS_DAYS. Returns how many.

    In parts, so that no transaction is long. Two workers may do it at once.
    """
    oldest = timezone.now() - timedelta(days=settings.ACTION_ADDRESS_DAYS)
    old = RecordedAction.objects.with_address().filter(at__lt=oldest)
    emptied = 0
    while part := list(old.order_by("at").values_list("pk", flat=True)[:AT_ONCE]):
        emptied += RecordedAction.objects.filter(pk__in=part).update(address="", agent="")
    return emptied


def count_old_addresses() -> int:
    oldest = timezone.now() - timedelta(days=settings.ACTION_ADDRESS_DAYS)
    return RecordedAction.objects.with_address().filter(at__lt=oldest).count()
