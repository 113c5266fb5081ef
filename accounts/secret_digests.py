"""The digest of a secret as it is stored, such as of an API token or of an invitation's link."""

from __future__ import annotations

import hashlib


def digest_of(secret: bytes) -> str:
    """SHA-256, in hexadecimal.

    One round without a salt is enough, because a secret has 256 random bits: it cannot be guessed,
    and no two are the same. A slow hash would be computed for every request.
    """
    return hashlib.sha256(secret).hexdigest()
