"""The record of actions that matter: `record(Verb.FROZE, collection=collection, object="12 pools")` in a service.

It is part of the service's transaction. It never has a grade, a note, or anything else that was judged.
"""

from __future__ import annotations

from typing import Any

from allauth.account import signals as account
from allauth.core import context
from allauth.mfa import signals as mfa
from allauth.mfa.models import Authenticator
from allauth.socialaccount import signals as social
from django.dispatch import Signal

from accounts.models import Action, Collection, User, Verb


def record(
    verb: Verb,
    *,
    collection: Collection | None = None,
    about: User | None = None,
    object: object = "",
    by: User | None = None,
    **details: Any,
) -> Action:
    """`by` is who sent the request; a job says whose it is, and a command is nobody's."""
    if by is None and context.request is not None and context.request.user.is_authenticated:
        by = context.request.user
    return Action.objects.create(
        collection=collection, actor=by, verb=verb, about=about, object=str(object)[:300], details=details
    )


LOGIN_CHANGES = {
    account.password_set: "password set",
    account.password_changed: "password changed",
    account.password_reset: "password reset by mail",
    account.email_changed: "e-mail changed",
    mfa.authenticator_added: "{} added",
    mfa.authenticator_removed: "{} removed",
    mfa.authenticator_reset: "{} made anew",
    social.social_account_added: "single sign-on connected",
    social.social_account_removed: "single sign-on disconnected",
}
FACTORS = {"webauthn": "passkey or security key", "totp": "authenticator app", "recovery_codes": "recovery codes"}


def record_login_change(
    signal: Signal,
    user: User | None = None,
    authenticator: Authenticator | None = None,
    sociallogin: Any = None,
    socialaccount: Any = None,
    **_: Any,
) -> None:
    """A receiver of allauth's signals. allauth makes the change and sends them without a transaction around both."""
    person = user or (sociallogin or socialaccount).user
    factor = FACTORS[authenticator.type] if authenticator else ""
    record(Verb.LOGIN, object=LOGIN_CHANGES[signal].format(factor), by=person)


def factors_of(person: User) -> list[str]:
    """What the person logs in with beside the password, in words."""
    return [FACTORS[each.type] for each in Authenticator.objects.filter(user=person).order_by("-type")]


def connect() -> None:
    for signal in LOGIN_CHANGES:
        signal.connect(record_login_change, dispatch_uid="record")
