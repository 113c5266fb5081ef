"""The tokens of mailed links to a new password. django-allauth's forms import this module."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.tokens import PasswordResetTokenGenerator


class MailedLinkTokens(PasswordResetTokenGenerator):
    """Django's tokens, which also end when an email of the person changes.

    As django-allauth's own, which first adds the email of the account to its table: a link that a
    stranger invents must write nothing, and must not cost more for a person who exists.
    """

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        addresses = EmailAddress.objects.filter(user_id=user.pk).values_list("email", flat=True)
        emails = {*addresses, *filter(None, [user.email])}
        return super()._make_hash_value(user, timestamp) + "|".join(sorted(emails))
