"""Services that create and end tokens of the API."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import ClassVar

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.models import User
from accounts.secret_digests import digest_of
from accounts.tokens.models import PREFIX, START_LENGTH, ApiToken
from accounts.tokens.scopes import TokenScope
from database.busy import skip_if_busy
from web.errors import UserFacingError

RANDOM_BYTES = 32
MOST_TOKENS = 50  # of a person, at the same time
USE_NOTED_EVERY = timedelta(minutes=1)


class TooManyTokens(UserFacingError):
    status: ClassVar[int] = 409

    def __init__(self) -> None:
        super().__init__(
            gettext(
                "You have %(most)s valid tokens, and no person can have more. Revoke one first."
            )
            % {"most": MOST_TOKENS}
        )


def create_token(*, person: User, name: str, scope: TokenScope, days: int | None) -> str:
    """Create a token, and return it. It cannot be read again. `days` is None if it never expires.

    Raises:
        TooManyTokens: the person has as many valid tokens as possible.
    """
    token = PREFIX + secrets.token_hex(RANDOM_BYTES)
    now = timezone.now()
    with transaction.atomic():
        User.objects.select_for_update().get(pk=person.pk)  # two at once must not both be the last
        if person.api_tokens.valid(now).count() >= MOST_TOKENS:
            raise TooManyTokens
        person.api_tokens.create(
            name=name,
            scope=scope,
            digest=digest_of(token.encode()),
            start=token[:START_LENGTH],
            created_at=now,
            expires_at=None if days is None else now + timedelta(days=days),
        )
        record_action(kind=ActionKind.TOKEN_MADE, details={"scope": str(scope)}, by=person)
    return token


def revoke_token(*, token: ApiToken) -> None:
    """End a token at once. A second call changes nothing."""
    with transaction.atomic():
        if ApiToken.objects.filter(pk=token.pk).unrevoked().update(revoked_at=timezone.now()):
            record_action(kind=ActionKind.TOKEN_REVOKED, details={"scope": token.scope})


def revoke_all_tokens(*, person: AbstractBaseUser) -> None:
    ApiToken.objects.filter(user_id=person.pk).unrevoked().update(revoked_at=timezone.now())


def note_use(*, token: ApiToken, now: datetime) -> None:
    """Record that the token was used, at most once a minute.

    It runs before the view, so outside of its transaction. It is skipped while another process
    writes to SQLite: a request that reads must not wait for an import.
    """
    before = now - USE_NOTED_EVERY
    if token.last_used_at is None or token.last_used_at < before:
        with skip_if_busy():
            unnoted = ApiToken.objects.filter(pk=token.pk).not_used_since(before)
            unnoted.update(last_used_at=now)
