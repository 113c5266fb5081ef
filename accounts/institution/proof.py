"""A login at the institution as proof of identity, and the links that an account has."""

from __future__ import annotations

import time
from typing import Any

from allauth.account import app_settings as account_settings
from allauth.account.internal.flows.login import get_authentication_records
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from accounts.models import User


def logged_in_just_now(request: HttpRequest) -> bool:
    """True if this session's person logged in at the institution within the last minutes."""
    records = get_authentication_records(request, request.user)
    last = max((each["at"] for each in records if each["method"] == "socialaccount"), default=0)
    return bool(time.time() - last < account_settings.REAUTHENTICATION_TIMEOUT)


def institution_methods(person: User) -> list[dict[str, Any]]:
    """The ways to prove the identity again, as django-allauth lists them: a login, or none."""
    if not SocialAccount.objects.filter(user=person, provider__in=settings.INSTITUTION_LOGINS):
        return []
    url = reverse("institution-confirm")
    description = gettext("Log in at your institution")
    return [{"id": "institution", "description": description, "url": url}]


def can_have_password(person: User) -> bool:
    """Not a person who logs in at the institution only, and so gets in only while being its."""
    return person.has_usable_password() or not SocialAccount.objects.filter(user=person).exists()


def institution_context(person: User) -> dict[str, Any]:
    """For the account page: the links of the person, and the logins that could be linked."""
    logins = settings.INSTITUTION_LOGINS
    if not logins:
        return {}
    links = SocialAccount.objects.filter(user=person).order_by("provider")
    shown = [
        {"id": link.pk, "name": login.name, "email": link.extra_data.get("email", "")}
        for link in links
        if (login := logins.get(link.provider))
    ]
    linked = {link.provider for link in links}
    return {
        "links": shown,
        "linkable": [login for login in logins.values() if login.key not in linked],
    }
