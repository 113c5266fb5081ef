"""Logins in the record. Django tells of each, whichever backend let the person in."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest

from accounts.actions.actors import actor_of
from accounts.actions.services import record_login, record_login_limit
from accounts.models import User


@receiver(user_logged_in)
def note_login(request: HttpRequest, user: User, **_: Any) -> None:
    record_login(actor_of(request, user))


@receiver(user_login_failed)
def note_refused_login(request: HttpRequest | None = None, **_: Any) -> None:
    """A wrong password is not recorded, or a stranger could fill the record."""
    if getattr(request, "refused_tries", None):  # set by `LimitedLoginBackend`
        assert request is not None
        record_login_limit(actor_of(request))
