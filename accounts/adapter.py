"""Who may have an account, and whose a log-in is: the few places where stock allauth is not strict enough."""

from __future__ import annotations

import logging
from smtplib import SMTPException
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.urls import Resolver404, resolve, reverse

from accounts.models import User
from accounts.services import accept_invitation, find_invitation
from web.errors import NotFound

logger = logging.getLogger(__name__)
LONGEST = 4096  # characters of a username, an address or a password; what is longer is nobody's


class InvitedOnly(DefaultAccountAdapter):
    """Accounts come from invitations (accounts/views.py), never from a public sign-up page."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """An address is tried once: by allauth's second try, only one that has an account costs two hashes."""
        if any(len(str(value)) > LONGEST for value in credentials.values()):
            return None  # SQLite refuses to look for it
        if credentials.get("email") == credentials.get("username"):
            del credentials["email"]
        user: User | None = super().authenticate(request, **credentials)
        return user

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """What the mail is about is done: a mail server that is away is no error of the person."""
        try:
            super().send_mail(template_prefix, email, context)
        except (SMTPException, OSError) as error:
            logger.warning("a mail (%s) was not sent: %s", template_prefix, error)

    def get_reset_password_from_key_url(self, key: str) -> str:
        return from_configured_address(super().get_reset_password_from_key_url(key))

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        return from_configured_address(super().get_email_confirmation_url(request, emailconfirmation))


class ConfirmedOrInvited(DefaultSocialAccountAdapter):
    """A log-in by OpenID Connect is that of who connected it, or confirmed its address here, or was invited."""

    def can_authenticate_by_email(self, login: SocialLogin, email: str) -> bool:
        """The provider confirmed the address. Here its owner did, and has no log-in of this provider yet.

        Without the first, whoever signs up with another's address gets a share of their account; without the second,
        who inherits an address at the provider inherits the account.
        """
        address = EmailAddress.objects.filter(email=email.lower(), verified=True).first()
        if address is None or not super().can_authenticate_by_email(login, email):
            return False
        return not SocialAccount.objects.filter(user=address.user, provider=login.account.provider).exists()

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Only from the page of an open invitation, which the log-in was to come back to."""
        try:
            find_invitation(invitation_token(sociallogin))
        except NotFound:
            return False
        return True

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]) -> User:
        user: User = super().populate_user(request, sociallogin, data)
        user.name = (data.get("name") or "")[:100]
        return user

    @transaction.atomic
    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        """The account and its membership at once: one link makes one account."""
        user: User = super().save_user(request, sociallogin, form)
        membership = accept_invitation(token=invitation_token(sociallogin), user=user)
        sociallogin.state["next"] = reverse("collection", args=[membership.collection.slug])
        return user


def invitation_token(sociallogin: SocialLogin) -> str:
    try:
        match = resolve(sociallogin.state.get("next") or "/")
    except Resolver404:
        return ""
    return str(match.kwargs["token"]) if match.url_name == "invitation" else ""


def from_configured_address(url: str) -> str:
    """A link in a mail never has the request's Host header, which anybody can send."""
    path = url.split("/", 3)[3]
    return f"{settings.SITE_URL}/{path}" if settings.SITE_URL else url
