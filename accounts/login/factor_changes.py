"""Second factors that a person adds or removes, and logins that end, in the record of actions.

django-allauth does these. Its signals come after the transaction, so the pages compare instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps

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
FACTORS = {Authenticator.Type.TOTP: "app", Authenticator.Type.WEBAUTHN: "passkey"}


def recorded_factors(view: View) -> View:
    """Decorate a page of django-allauth: what its form changes is recorded, with it or not at all.

    The person is locked, so two forms that are sent at once do not record each other's change.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        person = request.user
        if request.method != "POST" or not isinstance(person, User):
            return view(request, *args, **kwargs)
        with transaction.atomic():
            User.objects.select_for_update(no_key=True).get(pk=person.pk)
            before = _factors_of(person)
            answer = view(request, *args, **kwargs)
            _record_changes(person, before, _factors_of(person))
        return answer

    return wrapped


def _factors_of(person: User) -> dict[int, str]:
    rows = Authenticator.objects.filter(user=person)
    return dict(rows.values_list("pk", "type"))


def _record_changes(person: User, before: dict[int, str], after: dict[int, str]) -> None:
    added = [kind for key, kind in after.items() if key not in before]
    removed = [kind for key, kind in before.items() if key not in after]
    for kinds, action in (
        (added, ActionKind.SECOND_FACTOR_ADDED),
        (removed, ActionKind.SECOND_FACTOR_REMOVED),
    ):
        for factor in (FACTORS[kind] for kind in kinds if kind in FACTORS):
            record_action(kind=action, subject=about_person(person), details={"factor": factor})
    if Authenticator.Type.RECOVERY_CODES in added:
        record_action(kind=ActionKind.RECOVERY_CODES_MADE, subject=about_person(person))


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
