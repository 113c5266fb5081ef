"""The service that erases a person. What it does not remove shows a pseudonym from then on."""

from __future__ import annotations

import secrets
from functools import partial
from typing import ClassVar, NamedTuple

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.actions.subjects import about_person
from accounts.locking import lock_collection
from accounts.mail.files import delete_mails_to
from accounts.models import Collection, User
from accounts.personal_data.account_rows import emails_of
from accounts.personal_data.erased_names import digest_of_name
from accounts.personal_data.erasures import note_erasure
from accounts.personal_data.exporting import StoredRows, stored_about
from accounts.personal_data.registry import Fate, obstacles_for, personal_rows
from accounts.services import AccountError

SESSIONS_TOGETHER = 2_000
HOLDS_PAIRS = "membership_with_pairs_to_judge_stays"  # a trigger


class CannotErase(AccountError):
    """The message says what must be done first."""

    status: ClassVar[int] = 409


class AlreadyErased(AccountError):
    status: ClassVar[int] = 409

    def __init__(self, person: User) -> None:
        super().__init__(f"{person.username} is erased already.")


class WrongUsername(AccountError):
    status: ClassVar[int] = 400

    def __init__(self, person: User, typed: str) -> None:
        super().__init__(
            f"Nothing was erased, because the username is {person.username}, and you typed "
            f"{typed!r}."
        )


class ErasurePlan(NamedTuple):
    """The effects of an erasure, and what must be done before it."""

    removed: list[StoredRows]
    emptied: list[StoredRows]
    kept: list[StoredRows]
    obstacles: list[str]


def plan_erasure(person: User) -> ErasurePlan:
    stored = [each for each in stored_about(person) if each.rows.name != "account"]
    by_fate = {fate: [each for each in stored if each.rows.fate is fate] for fate in Fate}
    return ErasurePlan(
        removed=by_fate[Fate.REMOVED],
        emptied=by_fate[Fate.EMPTIED],
        kept=by_fate[Fate.KEPT],
        obstacles=obstacles_for(person),
    )


def erase_person(*, person: User, typed: str) -> str:
    """Erase a person. Returns the pseudonym. It cannot be undone; `typed` is the username.

    Raises:
        WrongUsername: `typed` is another name.
        AlreadyErased: the person is erased.
        CannotErase: pairs wait for the person, or a collection would have no admin.
    """
    if typed != person.username:
        raise WrongUsername(person, typed)
    sessions = sessions_of(person)
    try:
        with transaction.atomic():
            return _erase(person, f"erased-{secrets.token_hex(6)}", sessions)
    except IntegrityError as error:
        if HOLDS_PAIRS not in str(error):
            raise
        raise CannotErase(
            f"{person.shown_name} still has pairs to judge, so nothing was erased. Assign them to "
            "another person first."
        ) from error


def erase_again(*, person: User, pseudonym: str) -> None:
    """Erase a person whom a restored backup brought back, under the pseudonym from before.

    Raises:
        CannotErase: as `erase_person`.
    """
    sessions = sessions_of(person)
    with transaction.atomic():
        _erase(person, pseudonym, sessions)


def _erase(person: User, pseudonym: str, sessions: list[str]) -> str:
    # Two erasures lock collections in the same order. Each also decides about its last admin.
    collections = Collection.objects.filter(memberships__user=person).distinct().order_by("pk")
    for collection in list(collections):
        lock_collection(collection, archived_too=True)
    locked_person = User.objects.select_for_update().get(pk=person.pk)
    if locked_person.erased_at:
        raise AlreadyErased(locked_person)
    if obstacles := obstacles_for(locked_person):
        raise CannotErase(f"Nothing was erased. {' '.join(obstacles)}")
    emails = emails_of(locked_person)
    _end_sessions(locked_person, sessions)
    for rows in personal_rows():
        rows.erase(locked_person)
    locked_person.groups.clear()
    locked_person.user_permissions.clear()
    _give_pseudonym(locked_person, pseudonym)
    record_action(kind=ActionKind.PERSON_ERASED, subject=about_person(locked_person))
    transaction.on_commit(partial(delete_mails_to, emails), robust=True)
    transaction.on_commit(partial(note_erasure, locked_person), robust=True)
    return locked_person.username


def sessions_of(person: User) -> list[str]:
    """The keys of the person's sessions, also of those from before sessions were listed.

    All sessions of the server are read, so this is for a moment without locks. They are read in
    parts, because behind PgBouncer all rows of a statement are in memory at once.
    """
    own: list[str] = []
    last = ""
    while some := list(Session.objects.filter(pk__gt=last).order_by("pk")[:SESSIONS_TOGETHER]):
        own += [session.pk for session in some if _is_of(session, person)]
        last = some[-1].pk
    return own


def _end_sessions(person: User, found: list[str]) -> None:
    """End the sessions `found` before the locks, and those that are listed now.

    A session can have become another person's since. One that begins later is no login, because
    the account cannot log in.
    """
    listed = UserSession.objects.filter(user=person).values_list("session_key", flat=True)
    sessions = Session.objects.filter(pk__in={*found, *listed})
    Session.objects.filter(
        pk__in=[session.pk for session in sessions if _is_of(session, person)]
    ).delete()


def _is_of(session: Session, person: User) -> bool:
    return bool(session.get_decoded().get("_auth_user_id") == str(person.pk))


def _give_pseudonym(person: User, pseudonym: str) -> None:
    person.erased_name = digest_of_name(person.username)
    person.erased_at = timezone.now()
    person.username = pseudonym
    person.first_name = person.last_name = person.email = person.language = ""
    person.is_active = person.is_staff = person.is_superuser = False
    person.must_change_password = False
    person.last_login = None
    person.set_unusable_password()
    person.save()
