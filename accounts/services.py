"""Everything that writes people, their roles and their keys."""

from __future__ import annotations

import secrets

from django.db import IntegrityError, transaction
from rest_framework.authtoken.models import Token

from accounts.locking import lock_collection
from accounts.models import Collection, Membership, Role, User

# Without 0/O and 1/l/I: somebody will read it from a screen and type it.
READABLE = "abcdefghjkmnpqrstuvwxyz23456789"


class AccountError(Exception):
    """Something about people cannot be done; the message is for the person who asked."""

    is_for_people = True


class NameTaken(AccountError):
    def __init__(self, username: str) -> None:
        super().__init__(
            f"There is an account {username!r} already. Choose another username, or give that "
            "person a role instead of a new account."
        )


class CannotBlind(AccountError):
    """An admin sees where candidates come from, so must never judge."""


class LastAdmin(AccountError):
    def __init__(self, collection: Collection) -> None:
        super().__init__(
            f"This is the only admin of {collection} who can log in. Make somebody else an admin "
            "first; without one nobody could run the collection."
        )


def one_time_password() -> str:
    """Four groups of four letters and digits: 79 bits, easy to read out."""
    groups = ("".join(secrets.choice(READABLE) for _ in range(4)) for _ in range(4))
    return "-".join(groups)


def add_membership(*, collection: Collection, user: User, role: str) -> Membership:
    """Give the user a role in the collection. Giving it twice changes nothing.

    Every membership is written here.

    Raises:
        CannotBlind: the user would be admin and annotator.
    """
    with transaction.atomic():
        locked = lock_collection(collection)
        _check_blind(locked, user, role)
        membership, _ = Membership.objects.get_or_create(collection=locked, user=user, role=role)
    return membership


def username_in(collection: Collection, name: str) -> str:
    """The username of an account made for a collection, such as `mara@papers`.

    The collection's short name is part of it. So whether it is taken depends on the accounts of
    this collection alone, and tells its admins nothing about other people on the server.
    """
    return f"{name}@{collection.slug}"


def create_person(*, collection: Collection, username: str, name: str, role: str) -> str:
    """Create an account with a role in the collection; returns its one-time password.

    People log in with `username_in(collection, username)`.

    The password is stored only as a hash: who asked sees it now or never.

    Raises:
        NameTaken: an account of that name exists, whatever the case of its letters.
    """
    username = username_in(collection, username)
    password = one_time_password()
    try:
        with transaction.atomic():
            lock_collection(collection)
            if User.objects.filter(username__iexact=username).exists():
                raise NameTaken(username)
            person = User.objects.create_user(
                username, password=password, first_name=name, must_change_password=True
            )
            add_membership(collection=collection, user=person, role=role)
    except IntegrityError as error:
        raise NameTaken(username) from error
    return password


def take_role(*, membership: Membership) -> None:
    """Take a role away. What the person did in it stays.

    Raises:
        LastAdmin: nobody who can log in would be left to run the collection.
    """
    with transaction.atomic():
        # Two admins who take each other's role at once must not both succeed.
        collection = lock_collection(membership.collection)
        if membership.role == Role.ADMIN:
            others = collection.memberships.filter(role=Role.ADMIN, user__is_active=True)
            if not others.exclude(user_id=membership.user_id).exists():
                raise LastAdmin(collection)
        Membership.objects.filter(pk=membership.pk).delete()


def _check_blind(collection: Collection, person: User, role: str) -> None:
    roles = set(collection.memberships.filter(user=person).values_list("role", flat=True))
    if role == Role.ANNOTATOR and Role.ADMIN in roles:
        raise CannotBlind(
            f"{person.shown_name} is an admin of {collection} and sees where candidates come from, "
            "so cannot judge blind. Take the admin role away first, or name somebody else."
        )
    if role == Role.ADMIN and Role.ANNOTATOR in roles:
        raise CannotBlind(
            f"{person.shown_name} is an annotator of {collection}. An admin sees where candidates "
            "come from, so cannot judge blind: nobody is both. Take the annotator role away first, "
            "or name somebody else."
        )


def rename_person(*, person: User, name: str) -> None:
    """Set how the person is shown: one line, in whatever order the name is said."""
    person.first_name = name
    person.last_name = ""
    person.save(update_fields=["first_name", "last_name"])


def change_password(*, person: User, password: str) -> None:
    """Set a password that the person chose. It ends the API token (accounts/passwords.py)."""
    with transaction.atomic():
        person.set_password(password)
        person.must_change_password = False
        person.save(update_fields=["password", "must_change_password"])


def make_api_token(*, person: User) -> str:
    """Give the person a new API token; an earlier one stops working at once."""
    with transaction.atomic():
        User.objects.select_for_update().get(pk=person.pk)
        Token.objects.filter(user=person).delete()
        return str(Token.objects.create(user=person).key)


def revoke_api_token(*, person: User) -> bool:
    """Returns whether there was one."""
    deleted, _ = Token.objects.filter(user=person).delete()
    return bool(deleted)
