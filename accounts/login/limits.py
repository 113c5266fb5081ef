"""Limits on tries to log in: per username and address, and per address over all usernames.

The limits are in the authentication backend, so every login with a password is counted.

A username is never counted alone, so no person can be locked out from another address. A browser
in which the account has logged in before has a count of its own (`known_browsers.py`), so no person
can be locked out there from the same address either.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import logging
from contextlib import suppress
from typing import Any, NamedTuple

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from accounts.login.known_browsers import browser_of
from accounts.login.logged_in import PersonBackend
from accounts.models import User

log = logging.getLogger(__name__)


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


class LoginTries(NamedTuple):
    """The counts of one try to log in. A browser that knows the account has no count by address."""

    by_address: Count | None
    by_name: Count

    @property
    def is_in_known_browser(self) -> bool:
        return self.by_address is None

    def are_within_limits(self) -> bool:
        """Count one try in each count.

        A cache that fails counts as empty (`redis_cache.py`), so that annotators can work.
        """
        # The address first, so that an address over its limit creates no further keys.
        if self.by_address and not self.by_address.is_within_limit():
            return False
        if self.by_name.is_within_limit():
            return True
        # The password is not checked, so one person's tries must not lock out colleagues.
        if self.by_address:
            self.by_address.take_back()
        return False

    def forget(self) -> None:
        """Forget failed tries for this name from here. The address keeps those for other names.

        Otherwise an attacker with an account could reset the count by logging in.
        """
        self.by_name.forget()
        if self.by_address:
            self.by_address.take_back()


class LimitedLoginBackend(PersonBackend):
    """Checks login and password like its base class, within the limits on tries.

    django-allauth's own limit is for a name from all networks together, so any stranger could lock
    a person out (docs/adr/0074-allauth.md).
    """

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> User | None:
        """The person, or None if username, email or password are wrong.

        `username` is what was typed: a username or an email. django-allauth sends an email twice,
        also as `email`, which is ignored.

        The try is counted before the password is checked, so that tries sent at the same moment
        cannot slip past the limit together. A try over a limit stays in `request.refused_tries`.

        Raises:
            PermissionDenied: the try is over a limit. Django's `authenticate()` returns None then.
            ValueError: there is no request, so the try cannot be counted.
        """
        if username is None or password is None:
            return None  # credentials of another kind
        if request is None:
            raise ValueError("authenticate() needs the request, which has the client's address.")
        tries = _tries(request, username)
        if not tries.are_within_limits():
            log.warning("Too many tries to log in to one account from %s", client_address(request))
            request.refused_tries = tries  # type: ignore[attr-defined]
            raise PermissionDenied
        person = super().authenticate(request, username, password)
        if person is None:
            return None
        tries.forget()
        return person

    async def aauthenticate(self, *args: Any, **kwargs: Any) -> User | None:
        """As `authenticate`. The base class would check the password without the limits."""
        return await sync_to_async(self.authenticate)(*args, **kwargs)


def _tries(request: HttpRequest, username: str) -> LoginTries:
    most = settings.LOGIN_TRIES_PER_NAME
    browser = browser_of(request)
    if browser is not None and browser.knows(username):
        return LoginTries(None, Count(_key("browser", browser.id, username), most))
    address = client_address(request)
    # Casefolded: tries with other capitals are tries for the same person.
    by_name = Count(_key(username.casefold(), address), most)
    return LoginTries(Count(_key(address), settings.LOGIN_TRIES_PER_ADDRESS), by_name)


def _key(*parts: str) -> str:
    # A digest: usernames are free text, and cache keys are not.
    return "login:" + hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def client_address(request: HttpRequest) -> str:
    """The network from which a client is counted.

    An IPv6 address is replaced by its /64 network, because one customer has at least that many
    addresses.
    """
    host = client_host(request)
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return host
    return str(ipaddress.ip_network((int(address), 64), strict=False))


def client_host(request: HttpRequest) -> str:
    """The client's address, as far as it can be trusted.

    Each proxy appends the address of its client to X-Forwarded-For. A client may send that header
    too, so only the last TRUSTED_PROXIES addresses are trusted.
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
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped or address)
