from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest


class InvitedOnly(DefaultAccountAdapter):
    """Accounts come from invitations (accounts/views.py), never from a public sign-up page."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_reset_password_from_key_url(self, key: str) -> str:
        return from_configured_address(super().get_reset_password_from_key_url(key))

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        return from_configured_address(super().get_email_confirmation_url(request, emailconfirmation))


def from_configured_address(url: str) -> str:
    """A link in a mail never has the request's Host header, which anybody can send."""
    path = url.split("/", 3)[3]
    return f"{settings.SITE_URL}/{path}" if settings.SITE_URL else url
