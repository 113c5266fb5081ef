"""Services that write people and roles."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Set
from typing import ClassVar

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.actions.subjects import about_person
from accounts.locking import lock_collection
from accounts.models import JUDGES, OWNERS, Collection, GivenRole, Membership, Role, User
from accounts.personal_data.erased_names import is_erased_name
from web.errors import UserFacingError

SEES_AFTER_JUDGING = "membership_owner_annotator_sees_after_judging"  # a trigger
# Without 0/O and 1/l/I, because people type these codes from a screen.
READABLE = "abcdefghjkmnpqrstuvwxyz23456789"


class AccountError(UserFacingError):
    """A change of people or roles that cannot be made. The message is shown to the person."""


class NameTaken(AccountError):
    status: ClassVar[int] = 409

    def __init__(self, username: str) -> None:
        super().__init__(
            gettext(
                "The account “%(username)s” exists already. Choose another username, or give that "
                "person a role instead of a new account."
            )
            % {"username": username}
        )


class ErasedName(AccountError):
    """Imported data name a person who was erased."""

    status: ClassVar[int] = 409

    def __init__(self, username: str) -> None:
        super().__init__(
            f"The import would make an account {username}, but the person with this name was "
            "erased, so nothing was imported. Replace the name in the file."
        )


class CannotBlind(AccountError):
    """An admin sees the sources of candidates, so an admin must not judge."""

    status: ClassVar[int] = 409


class ImportedNameInUse(AccountError):
    """The username of an imported person belongs to an account that can log in."""

    def __init__(self, username: str) -> None:
        super().__init__(
            f"The account {username} exists and can log in, but the import needs this name for a "
            "person of the imported data, so nothing was imported. Rename that account first."
        )


class LastAdmin(AccountError):
    status: ClassVar[int] = 409

    def __init__(self, collection: Collection) -> None:
        super().__init__(
            f"This is the only admin or owner-annotator of {collection} who can log in. "
            "Make another person an admin first."
        )


def one_time_password() -> str:
    """Four groups of four letters and digits: 79 bits, easy to read out."""
    groups = ("".join(secrets.choice(READABLE) for _ in range(4)) for _ in range(4))
    return "-".join(groups)


def add_membership(*, collection: Collection, user: User, role: str) -> Membership:
    """Give the user a role in the collection. A second call changes nothing.

    All memberships are created here.

    Raises:
        CannotBlind: the user would be admin and judge, or was an admin and would judge, or an
            owner-annotator would have another role.
    """
    try:
        with transaction.atomic():
            locked_collection = lock_collection(collection)
            _check_blind(locked_collection, user, role)
            membership, is_new = Membership.objects.get_or_create(
                collection=locked_collection, user=user, role=role
            )
            if is_new:
                record_action(
                    kind=ActionKind.ROLE_GIVEN,
                    collection=locked_collection,
                    subject=about_person(user),
                    details={"role": str(role)},
                )
    except IntegrityError as error:
        if SEES_AFTER_JUDGING not in str(error):
            raise
        raise CannotBlind(
            f"{user.shown_name} was an owner-annotator of {collection}, and queries that this "
            "person judged are not done. Until then, the person cannot see what others judged."
        ) from error
    return membership


def username_in(slug: str, name: str) -> str:
    """The username of an account made for the collection `slug`, such as `mara@papers`.

    It contains the collection's short name. So an error about an existing username reveals nothing
    about the people of other collections.
    """
    return f"{name}@{slug}"


def is_taken(username: str) -> bool:
    """Return whether an account has or had that name, in any case of letters."""
    return User.objects.filter(username__iexact=username).exists() or is_erased_name(username)


def create_person(*, collection: Collection, username: str, name: str, role: str) -> str:
    """Create an account with a role in the collection. Returns its one-time password.

    People log in with `username_in(collection.slug, username)`. The password is stored as a hash
    only, so it can be shown only once.

    Raises:
        NameTaken: an account with that name exists. The comparison is not case-sensitive.
    """
    username = username_in(collection.slug, username)
    password = one_time_password()
    try:
        with transaction.atomic():
            lock_collection(collection)
            if is_taken(username):
                raise NameTaken(username)
            person = User.objects.create_user(
                username, password=password, first_name=name, must_change_password=True
            )
            record_action(
                kind=ActionKind.ACCOUNT_CREATED,
                collection=collection,
                subject=about_person(person),
            )
            add_membership(collection=collection, user=person, role=role)
    except IntegrityError as error:
        raise NameTaken(username) from error
    return password


def imported_person(*, username: str, name: str = "") -> User:
    """The account of a person in imported data, who can never log in. Creates it if needed.

    Raises:
        ImportedNameInUse: the account exists and can log in.
        ErasedName: the person with this name was erased.
    """
    if is_erased_name(username):
        raise ErasedName(username)
    person = User.objects.filter(username=username).first()
    if person is None:
        person = User(username=username, first_name=name, is_active=False)
        person.set_unusable_password()
        person.save()
    elif person.is_active or person.has_usable_password():
        raise ImportedNameInUse(username)
    return person


def imported_username(slug: str, name: str) -> str:
    """The username of a person imported to the collection `slug`, such as `imported-mara@papers`.

    A name with other characters than a username may have gets a digest of itself at its end, so
    that two names never share an account.
    """
    plain = re.sub(r"[^\w.+-]", "-", name, flags=re.ASCII)[:40]
    if plain != name:
        plain = f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    return username_in(slug, f"imported-{plain}")


def take_role(*, membership: Membership) -> None:
    """Remove a role. The person's judgments and decisions stay.

    Raises:
        LastAdmin: the collection would have no admin and no owner-annotator who can log in.
    """
    with transaction.atomic():
        # Two admins who remove each other's role at once must not both succeed.
        collection = lock_collection(membership.collection)
        if membership.role in OWNERS:
            owners = collection.memberships.filter(role__in=OWNERS, user__is_active=True)
            if not owners.exclude(user_id=membership.user_id).exists():
                raise LastAdmin(collection)
        Membership.objects.filter(pk=membership.pk).delete()
        record_action(
            kind=ActionKind.ROLE_REMOVED,
            collection=collection,
            subject=about_person(membership.user),
            details={"role": membership.role},
        )


def _check_blind(collection: Collection, person: User, role: str) -> None:
    roles = set(collection.memberships.filter(user=person).values_list("role", flat=True))
    if role in JUDGES and was_admin(collection, person):
        raise CannotBlind(
            gettext(
                "%(name)s is or was an admin of %(collection)s. An admin sees the sources of "
                "candidates and all judgments, so a person who was ever an admin here cannot judge "
                "blind. Choose another person."
            )
            % {"name": person.shown_name, "collection": collection}
        )
    if role == Role.ADMIN and Role.ANNOTATOR in roles:
        raise CannotBlind(
            gettext(
                "%(name)s is an annotator of %(collection)s. An admin sees the sources of "
                "candidates and all judgments, so as an admin this person can never judge here "
                "again, not even after the admin role is removed. If that is intended, assign any "
                "unjudged pairs to another person, then remove the annotator role."
            )
            % {"name": person.shown_name, "collection": collection}
        )
    _check_owner_annotator(collection, person, role, roles)


def _check_owner_annotator(
    collection: Collection, person: User, role: str, roles: Set[str]
) -> None:
    """Raise CannotBlind if an owner-annotator would have another role, or saw grades before."""
    if role == Role.OWNER_ANNOTATOR and was_given(collection, person, Role.ADJUDICATOR):
        raise CannotBlind(
            f"{person.shown_name} is or was an adjudicator of {collection}, who sees the grades of "
            "others, so this person cannot be an owner-annotator here. Choose another person."
        )
    if role == Role.OWNER_ANNOTATOR and roles - {role}:
        raise CannotBlind(
            f"{person.shown_name} has another role in {collection}: {', '.join(sorted(roles))}. An "
            "owner-annotator has no other role. Remove that role first."
        )
    if Role.OWNER_ANNOTATOR in roles and role != Role.OWNER_ANNOTATOR:
        raise CannotBlind(
            f"{person.shown_name} is an owner-annotator of {collection}, who has no other role. An "
            "owner-annotator becomes an admin with “End judging” on the overview."
        )


def was_given(collection: Collection, person: User, role: str) -> bool:
    """Return whether the person has or ever had the role in the collection."""
    return GivenRole.objects.filter(collection=collection, user=person, role=role).exists()


def was_admin(collection: Collection, person: User) -> bool:
    """Return whether the person is or ever was an admin of the collection."""
    return was_given(collection, person, Role.ADMIN)


def rename_person(*, person: User, name: str) -> None:
    """Set the full name as one line, because the order of its parts differs by language."""
    person.first_name = name
    person.last_name = ""
    person.save(update_fields=["first_name", "last_name"])


def choose_language(*, person: User, language: str) -> None:
    """Remember the language in which the person reads. The code is one of settings.LANGUAGES."""
    person.language = language
    person.save(update_fields=["language"])


def change_password(*, person: User, password: str) -> None:
    """Set a password that the person chose. This revokes the API tokens (accounts/passwords.py)."""
    _set_password(person, password, ActionKind.PASSWORD_CHANGED)


def reset_password(*, person: User, password: str) -> None:
    """As `change_password`, for a person who forgot the one before and has a link."""
    _set_password(person, password, ActionKind.PASSWORD_RESET)


def _set_password(person: User, password: str, kind: ActionKind) -> None:
    with transaction.atomic():
        person.set_password(password)
        person.must_change_password = False
        person.save(update_fields=["password", "must_change_password"])
        record_action(kind=kind, subject=about_person(person), by=person)
