"""Guessing passwords is slow: after a few failures in a row a username waits, per address.

Counts live in the cache. Without a shared one every server process counts for itself, so a guesser
gets a few more tries; with Redis as cache they share the count. A table would be exact, but a
guesser could then fill it, and whoever is locked out would need somebody to empty it.
"""

from __future__ import annotations

import hashlib

from django.core.cache import cache

TRIES = 5
WAIT_SECONDS = 5 * 60


def _key(username: str, address: str) -> str:
    # A digest: usernames are free text, and cache keys are not.
    return "login:" + hashlib.sha256(f"{username.casefold()}|{address}".encode()).hexdigest()


def may_try(username: str, address: str) -> bool:
    """Count one try to log in; False when there were too many. Counted before the password is
    looked at, so that tries sent at the same moment cannot slip past the limit together."""
    key = _key(username, address)
    cache.add(key, 0, WAIT_SECONDS)
    try:
        tries = cache.incr(key)
    except ValueError:  # it ran out between the two lines
        return True
    return tries <= TRIES


def forget(username: str, address: str) -> None:
    """The password was right: start counting anew."""
    cache.delete(_key(username, address))
