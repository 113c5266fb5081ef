"""The service that erases a person. What it does not remove shows a pseudonym from then on."""

from __future__ import annotations

import json
import secrets
from functools import partial
from pathlib import Path
from typing import ClassVar, NamedTuple

from django.conf import settings
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
from accounts.personal_data.exporting import StoredRows, stored_about
from accounts.personal_data.registry import Fate, obstacles_for, personal_rows
from accounts.services import AccountError

ERASURES = "erasures.jsonl"  # in the data folder
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


def erasures_path() -> Path:
    """The list of erasures, for `erase_again` after the restore of a backup."""
    return Path(settings.DATA_DIR, ERASURES)


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
    try:
        with transaction.atomic():
            return _erase(person, f"erased-{secrets.token_hex(6)}")
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
    with transaction.atomic():
        _erase(person, pseudonym)


def _erase(person: User, pseudonym: str) -> str:
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
    _end_sessions(locked_person)
    for rows in personal_rows():
        rows.erase(locked_person)
    locked_person.groups.clear()
    locked_person.user_permissions.clear()
    _give_pseudonym(locked_person, pseudonym)
    record_action(kind=ActionKind.PERSON_ERASED, subject=about_person(locked_person))
    transaction.on_commit(partial(delete_mails_to, emails), robust=True)
    transaction.on_commit(partial(_note_erasure, locked_person), robust=True)
    return locked_person.username


def _end_sessions(person: User) -> None:
    """Also those that began before sessions were listed."""
    own = [
        session.pk
        for session in Session.objects.iterator()
        if session.get_decoded().get("_auth_user_id") == str(person.pk)
    ]
    Session.objects.filter(pk__in=own).delete()


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


def _note_erasure(person: User) -> None:
    """Add a line to the list of erasures. It has no personal data."""
    line = {"id": person.pk, "pseudonym": person.username, "erased_at": str(person.erased_at)}
    with erasures_path().open("a") as file:
        file.write(f"{json.dumps(line)}\n")
