"""Deployment checks of the logins and of mail, for `manage.py check --deploy`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from django.conf import settings
from django.core import checks

from accounts.institution.configuration import OIDC, SAML

PACKAGES = {OIDC: ("jwt", "requests"), SAML: ("onelogin",)}


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


@checks.register(checks.Tags.security, deploy=True)
def check_institution(**kwargs: Any) -> list[checks.CheckMessage]:
    """Findings in the settings of the institution's logins. The doctor asks the providers, too."""
    found: list[checks.CheckMessage] = []
    for login in settings.INSTITUTION_LOGINS.values():
        prefix = login.key.upper()
        if missing := [name for name in PACKAGES[login.key] if find_spec(name) is None]:
            found.append(
                checks.Error(
                    f"The variables {prefix}_… are set, but the package {missing[0]} is missing.",
                    hint="Install requirements-server.lock.",
                    id="accounts.E003",
                )
            )
        if login.links_by_email and not login.email_domains:
            found.append(
                checks.Warning(
                    f"{prefix}_LINK_BY_EMAIL is 1 for emails of every domain, so the provider can "
                    "open accounts of people who are not its own.",
                    hint=f"Set {prefix}_EMAIL_DOMAINS to the domains of the institution.",
                    id="accounts.W004",
                )
            )
        if login.key == SAML and not login.emails_are_verified:
            found.append(
                checks.Warning(
                    "SAML has no word for a verified email, and SAML_EMAILS_ARE_VERIFIED is 0. So "
                    "people get in only by the links of their invitations.",
                    hint="Set it to 1 if the institution gives out the emails itself.",
                    id="accounts.W005",
                )
            )
    return found
