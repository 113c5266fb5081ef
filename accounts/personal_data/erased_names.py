"""Names of erased people, as digests: a name can be recognized, but not read.

The digest needs the SECRET_KEY. With another key, an old name could be used again.
"""

from __future__ import annotations

from django.utils.crypto import salted_hmac

from accounts.models import User

SALT = "accounts.erased_names"
IMPORTED = "imported-"  # accounts.services.imported_username


def digest_of_name(username: str) -> str:
    """The same for the account of a person and for that of his or her imported data."""
    return salted_hmac(
        SALT, username.lower().removeprefix(IMPORTED), algorithm="sha256"
    ).hexdigest()


def is_erased_name(username: str) -> bool:
    return User.objects.filter(erased_name=digest_of_name(username)).exists()
