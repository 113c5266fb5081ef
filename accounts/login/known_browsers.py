"""Browsers in which an account has logged in before, so that strangers' guesses do not lock it out.

These are OWASP's device cookies: a signed cookie names the browser and the accounts that logged in
there. It is not a login. Such a browser has its own count of tries for each of these
accounts, so the wrong guesses of other people in its network do not count for it
(`accounts/login/limits.py`).
"""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.crypto import constant_time_compare, get_random_string, salted_hmac

COOKIE = "browser"
SALT = "accounts.known_browsers"
SECONDS = 365 * 24 * 60 * 60  # after the last login
MOST_ACCOUNTS = 20  # the latest ones of a shared computer, so that the cookie stays short


class KnownBrowser(NamedTuple):
    id: str
    accounts: list[str]  # digests, so that the cookie shows no usernames

    def knows(self, username: str) -> bool:
        wanted = _digest(username)
        return any(constant_time_compare(wanted, account) for account in self.accounts)


def browser_of(request: HttpRequest) -> KnownBrowser | None:
    """The browser that the cookie names, or None if it has none that this server has signed."""
    try:
        content = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=SECONDS)
        return KnownBrowser(content["id"], content["accounts"])
    except signing.BadSignature:
        return None


def remember_browser(request: HttpRequest, response: HttpResponse, username: str) -> None:
    """Set the cookie, once the password of this account was right."""
    browser = browser_of(request) or KnownBrowser(get_random_string(22), [])
    account = _digest(username)
    others = [other for other in browser.accounts if other != account]
    content = {"id": browser.id, "accounts": [account, *others][:MOST_ACCOUNTS]}
    response.set_cookie(
        COOKIE,
        signing.dumps(content, salt=SALT),
        max_age=SECONDS,
        path=reverse("login").removesuffix("login/"),  # where passwords are asked for
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _digest(username: str) -> str:
    return salted_hmac(SALT, username, algorithm="sha256").hexdigest()[:20]
