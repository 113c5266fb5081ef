"""Deployment checks of the login and of mail, for `manage.py check --deploy`."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core import checks


@checks.register(checks.Tags.security, deploy=True)
def check_trusted_proxies(**kwargs: Any) -> list[checks.CheckMessage]:
    """Without TRUSTED_PROXIES behind a proxy, failed logins of one person lock out all people."""
    if not getattr(settings, "SECURE_PROXY_SSL_HEADER", None) or settings.TRUSTED_PROXIES:
        return []
    return [
        checks.Warning(
            "BEHIND_PROXY is 1 but TRUSTED_PROXIES is 0, so all people share the proxy's address "
            "and the limits on failed logins, downloads and reported errors.",
            hint="Set TRUSTED_PROXIES to the number of proxies in front.",
            id="accounts.W001",
        )
    ]


@checks.register(checks.Tags.security, deploy=True)
def check_mail(**kwargs: Any) -> list[checks.CheckMessage]:
    """A server without mail sends no invitations and no links to new passwords."""
    if settings.SENDS_MAIL:
        return []
    return [
        checks.Warning(
            "EMAIL_URL is empty, so people cannot be invited and get no link to a new password.",
            hint="Set EMAIL_URL, such as smtp://user:password@smtp.example.org:587?tls=1.",
            id="accounts.W002",
        )
    ]
