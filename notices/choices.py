"""Read and change which mails a person wants, and the links that stop them."""

from __future__ import annotations

from typing import Any, ClassVar

from django.core.signing import BadSignature, Signer

from accounts.models import User
from notices.models import Frequency, MailChoice
from web.errors import UserFacingError

# The signature is all that a link needs: a mail program follows it without a login, years later,
# and it can only stop mails.
_signer = Signer(salt="notices.stop")


class StopLinkNotValid(UserFacingError):
    status: ClassVar[int] = 404


def choice_of(user: User) -> MailChoice:
    """The person's choice, or one with the defaults that is not stored."""
    return MailChoice.objects.filter(user=user).first() or MailChoice(user=user)


def change_choice(*, user: User, **values: Any) -> None:
    """Change the fields of MailChoice that are given."""
    MailChoice.objects.update_or_create(user=user, defaults=values)


def stop_token(user: User) -> str:
    return _signer.sign(str(user.pk))


def person_of_stop_token(token: str) -> User:
    """The person whose mails the link stops.

    Raises:
        StopLinkNotValid: the link is not one of this server, or the account is gone.
    """
    try:
        return User.objects.get(pk=int(_signer.unsign(token)))
    except (BadSignature, ValueError, User.DoesNotExist) as error:
        raise StopLinkNotValid("This link is not valid.") from error


def stop_mails(*, token: str) -> None:
    """Stop all notices by mail to the person. A second call changes nothing."""
    change_choice(user=person_of_stop_token(token), frequency=Frequency.NEVER)
