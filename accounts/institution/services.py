"""Services that let in a person whom a provider has identified, and that link identities."""

from __future__ import annotations

import re
from typing import ClassVar

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.actions.subjects import about_person
from accounts.institution.claims import Identity
from accounts.institution.configuration import InstitutionLogin
from accounts.invitations.models import Invitation
from accounts.invitations.services import (
    accept,
    accept_with_new_account,
    invitation_of,
    usable_invitations_to,
)
from accounts.models import User
from accounts.services import AccountError, NameTaken

LONGEST_NAME = 60  # of a username, without the collection's short name
MOST_OF_ONE_NAME = 100


class NotInvited(AccountError):
    status: ClassVar[int] = 403

    def __init__(self, login: InstitutionLogin, identity: Identity) -> None:
        if not identity.email:
            reason = gettext("%(name)s told no email, so no invitation could be found.")
        elif not identity.is_email_verified:
            reason = gettext("%(name)s did not say that it has verified %(email)s.")
        else:
            reason = gettext("There is no open invitation to %(email)s.")
        sentences = (
            gettext("You are logged in at %(name)s, but have no account here."),
            reason,
            gettext("Ask an admin of your collection for an invitation, and open its link."),
        )
        super().__init__(" ".join(sentences) % {"name": login.name, "email": identity.email})


class EmailOfAccount(AccountError):
    status: ClassVar[int] = 409

    def __init__(self, login: InstitutionLogin, email: str) -> None:
        super().__init__(
            gettext(
                "An account here has the email %(email)s, and is not linked to %(name)s. Log in as "
                "you did before, then press Link %(name)s on the account page."
            )
            % {"email": email, "name": login.name}
        )


class IdentityInUse(AccountError):
    status: ClassVar[int] = 409

    def __init__(self, login: InstitutionLogin) -> None:
        super().__init__(
            gettext(
                "This account of %(name)s is linked to another account here, or your account has "
                "another link already. Nothing was changed."
            )
            % {"name": login.name}
        )


class OnlyWayIn(AccountError):
    status: ClassVar[int] = 409

    def __init__(self) -> None:
        super().__init__(
            gettext(
                "This link is the only way into your account, so it stays. Ask an admin of your "
                "collection for a password link first."
            )
        )


def admit(
    *, login: InstitutionLogin, identity: Identity, link_token: str = ""
) -> tuple[SocialAccount, Invitation | None]:
    """Let in an identity that no account is linked to. Returns its new link, and the invitation.

    In this order: an account with the verified email, the invitation whose link the person opened,
    the invitations to the verified email. An account of staff is never linked by its email.

    Raises:
        EmailOfAccount: an account has the email, and must not be linked by it.
        NotInvited: there is no invitation. No account was created.
        InvitationNotValid, EmailInUse, CannotBlind: as when a password is chosen.
        IdentityInUse: another request was faster.
    """
    email = identity.email if identity.is_email_verified else ""
    account = _account_with(email)
    if account is not None:
        if not login.links_by_email or not _can_be_linked_by_email(account, login):
            raise EmailOfAccount(login, email)
        return link_identity(person=account, login=login, identity=identity), None
    if link_token:
        invitation = invitation_of(link_token)
    elif email and (oldest := usable_invitations_to(email).first()):
        invitation = oldest
    else:
        raise NotInvited(login, identity)
    link = _accept(invitation, login, identity)
    _accept_others(link.user, email)
    return link, invitation


def link_identity(*, person: User, login: InstitutionLogin, identity: Identity) -> SocialAccount:
    """Let the person log in at the provider from now on. An account has one link to each.

    Raises:
        IdentityInUse: the identity or the account is linked already.
    """
    try:
        with transaction.atomic():
            User.objects.select_for_update().get(pk=person.pk)
            if SocialAccount.objects.filter(user=person, provider=login.key).exists():
                raise IdentityInUse(login)
            link = SocialAccount.objects.create(
                user=person,
                provider=login.key,
                uid=identity.key,
                extra_data={"email": identity.email},
            )
            record_action(kind=ActionKind.IDENTITY_LINKED, subject=about_person(person), by=person)
    except IntegrityError as error:
        raise IdentityInUse(login) from error
    return link


def unlink_identity(*, link: SocialAccount) -> None:
    """End the link. The person logs in with the password.

    Raises:
        OnlyWayIn: the account has no password.
    """
    with transaction.atomic():
        person = User.objects.select_for_update().get(pk=link.user_id)
        if not person.has_usable_password():
            raise OnlyWayIn
        link.delete()
        record_action(kind=ActionKind.IDENTITY_UNLINKED, subject=about_person(person), by=person)


def _account_with(email: str) -> User | None:
    addresses = EmailAddress.objects.filter(email=email, verified=True).select_related("user")
    address = addresses.first() if email else None
    return address and address.user


def _can_be_linked_by_email(account: User, login: InstitutionLogin) -> bool:
    """Not staff, whose account is worth more than a provider's word about an email.

    Nor an account that is linked already: universities give emails of people who left to others.
    """
    if account.is_staff or account.is_superuser or not account.is_active:
        return False
    return not SocialAccount.objects.filter(user=account, provider=login.key).exists()


def _accept(invitation: Invitation, login: InstitutionLogin, identity: Identity) -> SocialAccount:
    """Create the account and its link, or neither."""
    for username in _usernames(identity):
        try:
            with transaction.atomic():
                person = accept_with_new_account(
                    invitation=invitation,
                    username=username,
                    name=identity.name[:150] or invitation.name,
                    password=None,
                )
                return link_identity(person=person, login=login, identity=identity)
        except NameTaken:
            continue
    raise NameTaken(username)


def _accept_others(person: User, email: str) -> None:
    """Give the roles of the other invitations to this email. One that is refused stays open."""
    for invitation in usable_invitations_to(email) if email else ():
        try:
            accept(invitation=invitation, person=person)
        except AccountError:
            continue


def _usernames(identity: Identity) -> list[str]:
    """`mara`, `mara2`, `mara3` and so on. Never an email: other judges' admins see usernames."""
    wanted = identity.username or identity.email
    plain = re.sub(r"[^\w.+-]", "", wanted.partition("@")[0], flags=re.ASCII)[:LONGEST_NAME]
    plain = plain or "person"
    return [plain, *(f"{plain}{number}" for number in range(2, MOST_OF_ONE_NAME))]
