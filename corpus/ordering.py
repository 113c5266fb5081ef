"""Random-looking orders that are the same on every machine. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def order_key(seed: str, purpose: str, query: str, item: str) -> str:
    """SHA-256 (hex) of "seed|purpose|query|item": sort by it for a reproducible random order."""
    return hashlib.sha256(f"{seed}|{purpose}|{query}|{item}".encode()).hexdigest()


def shuffled(items: Iterable[str], *, seed: str, purpose: str, query: str) -> list[str]:
    """The items in the random order that seed, purpose and query give."""
    return sorted(items, key=lambda item: (order_key(seed, purpose, query, item), item))
