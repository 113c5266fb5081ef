"""Changes of the own account by pages of django-allauth, in the record of actions.

Its signals come after the transaction, so second factors and emails are compared instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from allauth.usersessions.models import UserSession
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.actions.subjects import about_person
from accounts.models import User

View = Callable[..., HttpResponseBase]
RowsById = dict[int, Any]


class WatchedRows(NamedTuple):
    """Rows of a person, and what records how they changed."""

    rows_of: Callable[[User], RowsById]
    record: Callable[[User, RowsById, RowsById], None]


@contextmanager
def recording(watched: WatchedRows, person: User) -> Iterator[None]:
    """Record what the block changes, with it or not at all.

    The person is locked, so two forms that are sent at once do not record each other's change.
    """
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=person.pk)
        before = watched.rows_of(person)
        yield
        watched.record(person, before, watched.rows_of(person))


def recorded(watched: WatchedRows) -> Callable[[View], View]:
    """Make a decorator of pages with forms about the person who sends them."""

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            if request.method != "POST" or not isinstance(request.user, User):
                return view(request, *args, **kwargs)
            with recording(watched, request.user):
                return view(request, *args, **kwargs)

        return wrapped

    return decorate


def _factors_of(person: User) -> RowsById:
    rows = Authenticator.objects.filter(user=person)
    return dict(rows.values_list("pk", "type"))


def _record_factors(person: User, before: RowsById, after: RowsById) -> None:
    added = [kind for key, kind in after.items() if key not in before]
    removed = [kind for key, kind in before.items() if key not in after]
    for kinds, action in (
        (added, ActionKind.SECOND_FACTOR_ADDED),
        (removed, ActionKind.SECOND_FACTOR_REMOVED),
    ):
        for factor in (FACTOR_NAMES[kind] for kind in kinds if kind in FACTOR_NAMES):
            record_action(kind=action, subject=about_person(person), details={"factor": factor})
    if Authenticator.Type.RECOVERY_CODES in added:
        record_action(kind=ActionKind.RECOVERY_CODES_MADE, subject=about_person(person))


def _confirmed_emails_of(person: User) -> RowsById:
    """An email that is not confirmed opens nothing, and is not recorded."""
    rows = EmailAddress.objects.filter(user=person, verified=True)
    return dict(rows.values_list("pk", "primary"))


def _record_emails(person: User, before: RowsById, after: RowsById) -> None:
    actions = [ActionKind.EMAIL_CONFIRMED for key in after if key not in before]
    actions += [ActionKind.EMAIL_REMOVED for key in before if key not in after]
    if any(is_main and before.get(key) is False for key, is_main in after.items()):
        actions.append(ActionKind.MAIN_EMAIL_CHOSEN)
    for action in actions:
        record_action(kind=action, subject=about_person(person), by=person)


FACTOR_NAMES = {Authenticator.Type.TOTP: "app", Authenticator.Type.WEBAUTHN: "passkey"}
SECOND_FACTORS = WatchedRows(_factors_of, _record_factors)
CONFIRMED_EMAILS = WatchedRows(_confirmed_emails_of, _record_emails)


class SessionsAdapter(DefaultUserSessionsAdapter):
    """Ends logins of a person: by the page that lists them, or when a second factor is added."""

    def end_sessions(self, sessions: Iterable[UserSession]) -> None:
        ended = list(sessions)
        if not ended:
            return
        with transaction.atomic():
            super().end_sessions(ended)
            record_action(
                kind=ActionKind.SESSIONS_ENDED,
                subject=about_person(ended[0].user),
                details={"sessions": len(ended)},
                by=ended[0].user,
            )
