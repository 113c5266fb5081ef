"""Digests, and the canonical JSON they are computed from. Pure."""

from __future__ import annotations

import hashlib
import json

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def canonical_json(value: object) -> bytes:
    """Sorted keys, no spaces, UTF-8."""
    return _CANONICAL.encode(value).encode()


def json_digest(value: object) -> str:
    """SHA-256 (hex) of the canonical JSON."""
    return hashlib.sha256(canonical_json(value)).hexdigest()
