"""Links with which a person chooses a new password once. An admin makes them on the page *People*.

The link gives access to the account. So an admin may only make one for a person who has no rights
beyond the admin's own collections (docs/adr/0008-who-gets-in.md), and the link stops working when
that is no longer true.
"""

from __future__ import annotations

from collections.abc import Collection as Group
from typing import ClassVar, NamedTuple

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.actions.subjects import about_person
from accounts.models import Collection, Membership, Role, User
from accounts.services import AccountError, reset_password
from web.program import command_text

DAYS = settings.PASSWORD_RESET_TIMEOUT // 86_400


class PasswordLink(NamedTuple):
    """The parameters of the link's address."""

    person_id: int
    made_by_id: int
    token: str


class PasswordLinkRefused(AccountError):
    """This admin may not make a link for this person. The message gives the reason."""

    status: ClassVar[int] = 409


class LinkNotValid(AccountError):
    def __init__(self) -> None:
        super().__init__(
            gettext(
                "This link does not work. It may have been used, it may be older than %(days)s "
                "days, or the password or the roles have changed since. Ask an admin of your "
                "collection for another link."
            )
            % {"days": DAYS}
        )


class _Tokens(PasswordResetTokenGenerator):
    """Django's tokens, which end with a login, a new password, or after a time; for one admin."""

    key_salt = "accounts.password_links"

    def __init__(self, made_by: User) -> None:
        super().__init__()
        self._made_by = made_by

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        return f"{self._made_by.pk}|{super()._make_hash_value(user, timestamp)}"


def refusals(*, asked_by: User, people: Group[User]) -> dict[int, str]:
    """The reasons why `asked_by` may not reset passwords of some of these people, by their ids.

    Two queries. One sentence covers all rights elsewhere, so that it does not tell which.
    """
    administered = set(
        asked_by.memberships.filter(role=Role.ADMIN).values_list("collection", flat=True)
    )
    collections: dict[int, set[int]] = {person.pk: set() for person in people}
    rows = Membership.objects.filter(user__in=collections).order_by()
    for person_id, collection_id in rows.values_list("user", "collection"):
        collections[person_id].add(collection_id)
    reasons = {}
    for person in people:
        inside = collections[person.pk]
        if person.pk == asked_by.pk:
            reasons[person.pk] = (
                "This is your own account. Change your password on your account page."
            )
        elif not person.is_active:
            reasons[person.pk] = f"{person.username} cannot log in, so has no password."
        elif person.is_staff or person.is_superuser or not inside or inside - administered:
            reasons[person.pk] = (
                f"{person.username} has rights outside the collections that you administer, so you "
                "cannot reset this password. A system administrator can, with: "
                + command_text(f"changepassword {person.username}")
            )
    return reasons


def make_password_link(*, collection: Collection, asked_by: User, person: User) -> str:
    """The path of the link that an admin of the collection makes. That it was made is recorded.

    Raises:
        PasswordLinkRefused: as `password_link`.
    """
    with transaction.atomic():
        path = password_link(asked_by=asked_by, person=person)
        record_action(
            kind=ActionKind.PASSWORD_LINK_MADE,
            collection=collection,
            subject=about_person(person),
            by=asked_by,
        )
    return path


def password_link(*, asked_by: User, person: User) -> str:
    """The path of a page where the person chooses a new password, once and within `DAYS` days.

    Raises:
        PasswordLinkRefused: `asked_by` may not reset the password of this person.
    """
    if reason := refusals(asked_by=asked_by, people=[person]).get(person.pk):
        raise PasswordLinkRefused(reason)
    token = _Tokens(asked_by).make_token(person)
    return reverse("new-password", args=PasswordLink(person.pk, asked_by.pk, token))


def person_of_link(link: PasswordLink) -> User:
    """The person for whom the link was made. The link still works afterwards.

    Raises:
        LinkNotValid: it was used or is too old, or its admin may not make it any more.
    """
    # One by one: `pk__in` would raise OverflowError for a number too large for SQLite.
    person = User.objects.filter(pk=link.person_id).first()
    made_by = User.objects.filter(pk=link.made_by_id, is_active=True).first()
    if person is None or made_by is None or not _Tokens(made_by).check_token(person, link.token):
        raise LinkNotValid
    if refusals(asked_by=made_by, people=[person]):
        raise LinkNotValid
    return person


def choose_password(*, link: PasswordLink, password: str) -> None:
    """Set the password with a link, which stops working.

    Raises:
        LinkNotValid: as `person_of_link`; also if another request just used the link.
    """
    with transaction.atomic():
        User.objects.select_for_update().filter(pk=link.person_id).first()
        reset_password(person=person_of_link(link), password=password)
