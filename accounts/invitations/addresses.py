"""A pasted list of people: one a line, as `mara@example.org` or `Mara Lind <mara@example.org>`."""

from __future__ import annotations

import re
from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

MOST = 200  # in one list
_NAMED = re.compile(r"(?P<name>[^<>]*)<(?P<email>[^<>]+)>\Z")


class Invitee(NamedTuple):
    email: str  # in lower case
    name: str = ""


class InvalidLines(ValueError):
    """Each of `faults` names its line, what is wrong, and how to fix it."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__(" ".join(faults))
        self.faults = faults


def read_invitees(text: str) -> list[Invitee]:
    """The people of the list, in its order. Empty lines are skipped, a repeated email counts once.

    Raises:
        InvalidLines: a line has no email, or there are none or more than MOST.
    """
    invitees: dict[str, Invitee] = {}
    faults = []
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.strip().rstrip(",;").strip()
        if not content:
            continue
        named = _NAMED.match(content)
        name, email = (named["name"], named["email"]) if named else ("", content)
        email = email.strip().lower()
        try:
            validate_email(email)
        except ValidationError:
            faults.append(
                f"Line {number}: {content[:80]!r} has no valid email. Write mara@example.org or "
                "Mara Lind <mara@example.org>."
            )
        else:
            invitees.setdefault(email, Invitee(email, name.strip().strip('"').strip()[:150]))
    if not faults and not invitees:
        faults.append("Enter at least one email.")
    if len(invitees) > MOST:
        faults.append(f"The list has {len(invitees)} people. Invite at most {MOST} at once.")
    if faults:
        raise InvalidLines(faults)
    return list(invitees.values())
