"""Limits on tries to log in: per username and address, and per address over all usernames.

django-axes calls the handler below from `authenticate()`, so every way to log in is counted. The
counting is ours: the handlers of django-axes have one limit for both counts, forget the count of an
address when any login from it succeeds, let tries sent at the same moment slip past the limit, and
fail when the cache does.

A username is never counted alone, so no person can be locked out from another address. A browser
in which the account has logged in before has a count of its own (`accounts/known_browsers.py`), so
no person can be locked out there from the same address either.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import logging
import sys
from contextlib import suppress
from typing import Any, NamedTuple

from axes.handlers.base import AbstractAxesHandler, AxesBaseHandler
from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse

from accounts.known_browsers import KnownBrowser, browser_of

log = logging.getLogger(__name__)


def cache_failures() -> tuple[type[Exception], ...]:
    """The errors of a cache that cannot be reached.

    An error of Redis can only come up where its client is loaded. It is not imported here, because
    it takes 7 MB of every process, and an installation without Redis does not need it.
    """
    redis = sys.modules.get("redis.exceptions")
    return (OSError, DatabaseError, *((redis.RedisError,) if redis else ()))


class Count(NamedTuple):
    """A number of tries in the cache, and how many there may be."""

    key: str
    limit: int

    def is_within_limit(self) -> bool:
        """Count one try."""
        seconds = settings.LOGIN_WAIT_SECONDS
        cache.add(self.key, 0, seconds)
        try:
            tries = cache.incr(self.key)
        except ValueError:  # the key expired between the two lines
            return True
        # At the limit, the full wait begins. At the first try, the key may have expired inside
        # `incr`, and Redis then made it again without an expiry.
        if tries in (1, self.limit):
            cache.touch(self.key, seconds)
        return tries <= self.limit

    def forget(self) -> None:
        cache.delete(self.key)

    def take_back(self) -> None:
        with suppress(ValueError):  # expired
            cache.decr(self.key)


class LoginLimits(AbstractAxesHandler, AxesBaseHandler):  # type: ignore[misc]
    """The handler that django-axes calls (`AXES_HANDLER`)."""

    def is_allowed(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> bool:
        """Count this try to log in, and return whether it is within its limits.

        It counts before the password is checked, so that tries sent at the same moment cannot slip
        past the limit together. If the cache fails, the try is allowed, because annotators must be
        able to work.
        """
        address = client_address(request)
        username = str((credentials or {}).get("username") or "")
        browser = browser_of(request)
        is_known = browser is not None and browser.knows(username)
        if browser is not None and is_known:
            by_address, by_name = None, _count_in(browser, username)
        else:
            by_address, by_name = _counts(username, address)
        request.login_counts = (by_address, by_name)  # type: ignore[attr-defined]
        try:
            # The address first, so that an address over its limit creates no further keys.
            allowed = by_address is None or by_address.is_within_limit()
            if allowed and not by_name.is_within_limit():
                # The password is not checked, so one person's tries must not lock out colleagues.
                if by_address:
                    by_address.take_back()
                allowed = False
        except cache_failures() as error:
            log.error("The cache failed, so this try to log in is not counted: %s", error)
            return True
        if not allowed:
            log.warning("Too many tries to log in as %r from %s", username, address)
            request.axes_locked_out = True  # type: ignore[attr-defined]
            request.is_known_browser = is_known  # type: ignore[attr-defined]
        return allowed

    def user_logged_in(self, sender: Any, request: HttpRequest, user: Any, **kwargs: Any) -> None:
        """Forget failed tries for this name from here. The address keeps those for other names.

        Otherwise an attacker with an account could reset the count by logging in.
        """
        counts = getattr(request, "login_counts", None)
        if counts is None:  # logged in without a password
            return
        by_address, by_name = counts
        try:
            by_name.forget()
            if by_address:
                by_address.take_back()
        except cache_failures() as error:
            log.error("The cache failed, so failed logins stay counted: %s", error)

    def user_login_failed(self, *args: Any, **kwargs: Any) -> None:
        """The try is counted already."""

    def user_logged_out(self, *args: Any, **kwargs: Any) -> None:
        pass

    def get_failures(
        self, request: HttpRequest, credentials: dict[str, Any] | None = None
    ) -> int:  # abstract in django-axes; `is_allowed` has no use for it
        return 0


def _counts(username: str, address: str) -> tuple[Count, Count]:
    # Casefolded: tries with other capitals are tries for the same person.
    by_name = Count(_key(username.casefold(), address), settings.LOGIN_TRIES_PER_NAME)
    return Count(_key(address), settings.LOGIN_TRIES_PER_ADDRESS), by_name


def _count_in(browser: KnownBrowser, username: str) -> Count:
    """The tries for this account in a browser that knows it."""
    return Count(_key("browser", browser.id, username), settings.LOGIN_TRIES_PER_NAME)


def _key(*parts: str) -> str:
    # A digest: usernames are free text, and cache keys are not.
    return "login:" + hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def client_address(request: HttpRequest) -> str:
    """The client's address, as far as it can be trusted.

    Each proxy appends the address of its client to X-Forwarded-For. A client may send that header
    too, so only the last TRUSTED_PROXIES addresses are trusted. An IPv6 address is replaced by its
    /64 network, because one customer has at least that many addresses.
    """
    peer = str(request.META.get("REMOTE_ADDR", ""))
    forwarded_addresses = str(request.META.get("HTTP_X_FORWARDED_FOR", "")).split(",")
    trusted_addresses = (
        forwarded_addresses[-settings.TRUSTED_PROXIES :] if settings.TRUSTED_PROXIES else []
    )
    for text in (*trusted_addresses[:1], peer):
        address = _address(text)
        if address:
            return address
    return peer


def _address(text: str) -> str | None:
    """The address without its port, or None if there is none in the text."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((int(address), 64), strict=False))


def answer_too_many_tries(
    request: HttpRequest, response: HttpResponse, credentials: dict[str, Any] | None = None
) -> HttpResponse:
    """Set the status for programs. The login page already has the message for people."""
    response.status_code = 429
    response["Retry-After"] = str(settings.LOGIN_WAIT_SECONDS)
    return response
