"""Personal data that is kept for a time, and cleared after it. The privacy page names each time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from accounts.actions.services import count_old_addresses, empty_old_addresses
from accounts.invitations.models import Invitation
from accounts.mail.files import delete_mails, mails_before
from accounts.personal_data.erasures import share_notes
from accounts.personal_data.models import RetentionRun
from accounts.tokens.models import ApiToken

CLEARED_EVERY = timedelta(hours=1)


class Expiring(NamedTuple):
    """Data with a time: how many are past it, and the function that clears them."""

    name: str
    number: Callable[[], int]
    clear: Callable[[], object]


def _before(days: int) -> datetime:
    return timezone.now() - timedelta(days=days)


def _ended_sessions() -> QuerySet[Session]:
    return Session.objects.filter(expire_date__lt=timezone.now())


def _listed_sessions() -> QuerySet[Any]:
    """Those whose session is gone. They have an address and a browser."""
    alive = Session.objects.filter(session_key=OuterRef("session_key"))
    listed: QuerySet[Any] = UserSession.objects.exclude(Exists(alive))
    return listed


def _ended_tokens() -> QuerySet[ApiToken]:
    before = _before(settings.ENDED_TOKEN_DAYS)
    return ApiToken.objects.filter(Q(revoked_at__lt=before) | Q(expires_at__lt=before))


def _unused_invitations() -> QuerySet[Invitation]:
    before = _before(settings.UNUSED_INVITATION_DAYS)
    return Invitation.objects.filter(accepted_at=None, expires_at__lt=before)


def _old_mails() -> list[str]:
    return mails_before(_before(settings.MAIL_FILE_DAYS))


EXPIRING = (
    Expiring("addresses in the record", count_old_addresses, empty_old_addresses),
    Expiring(
        "ended sessions", lambda: _ended_sessions().count(), lambda: _ended_sessions().delete()
    ),
    Expiring(
        "places of ended sessions",
        lambda: _listed_sessions().count(),
        lambda: _listed_sessions().delete(),
    ),
    Expiring("ended tokens", lambda: _ended_tokens().count(), lambda: _ended_tokens().delete()),
    Expiring(
        "unused invitations",
        lambda: _unused_invitations().count(),
        lambda: _unused_invitations().delete(),
    ),
    Expiring("mails in files", lambda: len(_old_mails()), lambda: delete_mails(_old_mails())),
)


def count_expired() -> dict[str, int]:
    return {each.name: each.number() for each in EXPIRING}


def clear_expired() -> dict[str, int]:
    """Clear all that is past its time. Returns how many of each. Two workers may do it at once."""
    share_notes()
    counts = count_expired()
    for each in EXPIRING:
        if counts[each.name]:
            each.clear()
    RetentionRun.objects.update_or_create(pk=1, defaults={"cleared_at": timezone.now()})
    return counts


def clear_expired_if_due() -> None:
    """As `clear_expired`, once an hour. Every worker calls it often."""
    if not RetentionRun.objects.filter(cleared_at__gt=timezone.now() - CLEARED_EVERY).exists():
        clear_expired()


def last_cleared() -> datetime | None:
    return RetentionRun.objects.values_list("cleared_at", flat=True).first()
