"""Account codes: an admin adds a person without searching all accounts of the server.

A person gives an account code, such as `mara:k7f3-x2mq-9hvt`, to the admin. It consists of the
username and a proof. A wrong proof, an unknown username and a known username get the same error, so
guesses reveal nothing.
"""

from __future__ import annotations

from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.models import Collection, Role, User
from accounts.services import READABLE, AccountError


class PersonNotFound(AccountError):
    def __init__(self, text: str) -> None:
        super().__init__(
            f"No person found for {text!r}. Enter the account code from the person's account page, "
            "or the username of a person in a collection that you administer."
        )


def account_code(person: User) -> str:
    """Twelve letters and digits after the username: 59 bits that only the server can compute."""
    digest = salted_hmac("accounts.codes", str(person.pk), algorithm="sha256").digest()
    letters = "".join(READABLE[byte % len(READABLE)] for byte in digest[:12])
    return f"{person.username}:{letters[:4]}-{letters[4:8]}-{letters[8:]}"


def find_person(*, asked_by: User, text: str) -> User:
    """The person with this account code, or with this username.

    A username is enough for people in the collections that `asked_by` administers.

    Raises:
        PersonNotFound: in every other case, with the same message.
    """
    text = text.strip()
    username, separator, proof = text.partition(":")
    if separator:
        person = User.objects.filter(username=username).first()
        code = f"{username}:{proof.lower()}"
        if person is not None and constant_time_compare(account_code(person), code):
            return person
    else:
        collections = Collection.objects.with_role(asked_by, [Role.ADMIN])
        people = User.objects.filter(username=username, memberships__collection__in=collections)
        person = people.first()
        if person is not None:
            return person
    raise PersonNotFound(text)
