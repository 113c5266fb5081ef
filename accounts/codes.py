"""How an admin of a collection names a person without searching the accounts of the whole server.

A person gives his or her account code, such as `mara:k7f3-x2mq-9hvt`, to the admin. It is the
username and a proof that the person gave it, so a guess tells nothing: a wrong proof, an unknown
username and a known one get the same answer.
"""

from __future__ import annotations

from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.models import Collection, Role, User
from accounts.services import READABLE, AccountError


class NobodyToAdd(AccountError):
    def __init__(self, text: str) -> None:
        super().__init__(
            f"No person can be added by {text!r}. Enter the account code that the person finds on "
            "the account page, or the username of a person in a collection that you administer."
        )


def account_code(person: User) -> str:
    """Twelve letters and digits after the username: 59 bits that only the server can compute."""
    digest = salted_hmac("accounts.codes", str(person.pk), algorithm="sha256").digest()
    letters = "".join(READABLE[byte % len(READABLE)] for byte in digest[:12])
    return f"{person.username}:{letters[:4]}-{letters[4:8]}-{letters[8:]}"


def find_person(*, asked_by: User, text: str) -> User:
    """The person with this account code, or with this username if `asked_by` knows them anyway.

    Known are the people of the collections that `asked_by` administers.

    Raises:
        NobodyToAdd: in every other case, in the same words.
    """
    text = text.strip()
    username, separator, proof = text.partition(":")
    if separator:
        person = User.objects.filter(username=username).first()
        given = f"{username}:{proof.lower()}"
        if person is not None and constant_time_compare(account_code(person), given):
            return person
    else:
        mine = Collection.objects.with_role(asked_by, [Role.ADMIN])
        known = User.objects.filter(username=username, memberships__collection__in=mine)
        person = known.first()
        if person is not None:
            return person
    raise NobodyToAdd(text)
