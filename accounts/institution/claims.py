"""The identity that a provider states, compared with what the server requires. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

# One "@", no quotes and no other alphabets: an address that two programs read differently could
# pass as one of another domain or of another person.
_PLAIN_EMAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+\.[A-Za-z0-9-]+\Z")


def _(text: str) -> str:
    """Mark a text for translation where it is shown. This module is pure."""
    return text


class NotAllowed(Exception):
    """For the person: what the provider did not say. The values are apart, for translations."""

    def __init__(self, message: str, **values: str) -> None:
        super().__init__(message % values)
        self.message, self.values = message, values


@dataclass(frozen=True)
class Identity:
    """A person at a provider. `key` is stored: the same person has the same one at each login."""

    key: str
    email: str = ""  # in lower case
    is_email_verified: bool = False
    name: str = ""
    username: str = ""
    claims: Mapping[str, Any] = field(default_factory=dict)


def identity_key(issuer: str, subject: str) -> str:
    """A digest of both, because two issuers may use the same subject for different people."""
    return hashlib.sha256(f"{issuer}\n{subject}".encode()).hexdigest()


def plain_email(value: object) -> str:
    """The email in lower case, or "" for anything that is not a plain address."""
    text = value.strip() if isinstance(value, str) else ""
    return text.lower() if len(text) <= 254 and _PLAIN_EMAIL.match(text) else ""


def domain_of(email: str) -> str:
    return email.rpartition("@")[2]


def check_allowed(
    identity: Identity,
    *,
    required_claims: Iterable[tuple[str, str]],
    email_domains: Iterable[str],
) -> None:
    """Raise NotAllowed unless each claim has one of its values, and the email is of a domain.

    A domain is compared as a whole: `example.org` allows neither `a.example.org` nor
    `example.org.evil.net`. An email that is not verified has no domain.
    """
    wanted: dict[str, set[str]] = {}
    for name, value in required_claims:
        wanted.setdefault(name, set()).add(value)
    for name, values in wanted.items():
        if not values & _values(identity.claims.get(name)):
            message = _("Your account there has no “%(claim)s” that this server accepts.")
            raise NotAllowed(message, claim=name)
    domains = set(email_domains)
    if domains and not (identity.is_email_verified and domain_of(identity.email) in domains):
        message = _("This server accepts people with a verified email of %(domains)s.")
        raise NotAllowed(message, domains=", ".join(sorted(domains)))


def _values(claim: object) -> set[str]:
    """The claim as texts. A text is one value: `staffing` is not `staff`."""
    items = claim if isinstance(claim, list | tuple) else [claim]
    return {
        str(item).lower() if isinstance(item, bool) else str(item)
        for item in items
        if isinstance(item, str | int | bool)
    }
