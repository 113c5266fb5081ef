from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class InvitedOnly(DefaultAccountAdapter):
    """Accounts come from invitations (accounts/views.py), never from a public sign-up page."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False
