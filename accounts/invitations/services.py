"""Services that invite people, and that accept an invitation."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import ClassVar, NamedTuple

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, override

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.actions.subjects import about_person
from accounts.invitations.addresses import Invitee
from accounts.invitations.models import Invitation
from accounts.locking import lock_collection
from accounts.mail.sending import check_sends_mail, send_mails
from accounts.models import Collection, Role, User
from accounts.secret_digests import digest_of
from accounts.services import AccountError, NameTaken, add_membership, is_taken, username_in
from web.languages.choice import language_of_person

MOST_AN_HOUR = 400
SHORTEST_PAUSE = timedelta(minutes=1)


class InvitationNotValid(AccountError):
    """The link does not work. The reason is not told, so that guesses tell nothing."""

    status: ClassVar[int] = 404

    def __init__(self) -> None:
        super().__init__(
            gettext(
                "This invitation does not work. It may have been used, revoked or sent again, or "
                "it is older than %(days)s days. Ask the person who invited you to send it again."
            )
            % {"days": settings.INVITATION_DAYS}
        )


class InvitationClosed(AccountError):
    status: ClassVar[int] = 409

    def __init__(self, invitation: Invitation) -> None:
        super().__init__(f"The invitation of {invitation.email} was {invitation.state} already.")


class EmailInUse(AccountError):
    status: ClassVar[int] = 409

    def __init__(self, email: str) -> None:
        super().__init__(
            gettext(
                "%(email)s belongs to an account. Log in with it to accept the invitation, or ask "
                "for an invitation to another email."
            )
            % {"email": email}
        )


class TooManyMails(AccountError):
    status: ClassVar[int] = 429


class SentInvitation(NamedTuple):
    """An invitation, and why its mail was not sent, if it was not."""

    invitation: Invitation
    error: str = ""


class InvitationLetter(NamedTuple):
    invitation: Invitation
    token: str


def invite(
    *,
    collection: Collection,
    invitees: Sequence[Invitee],
    role: str,
    invited_by: User | None,
    base_url: str,
) -> list[SentInvitation]:
    """Invite people and send the mails. An open invitation for the same role is sent again.

    The mails are sent after the invitations are stored, one after the other. One that fails does
    not stop the others, and its invitation stays: it can be sent again.

    Raises:
        NoMail: this server sends no mail.
        TooManyMails: this collection sent many within the hour.
        CollectionArchived: the collection is archived.
    """
    check_sends_mail()
    with transaction.atomic():
        locked_collection = lock_collection(collection)
        _check_pace(locked_collection, len(invitees))
        letters = [
            store_invitation(locked_collection, invitee, role, invited_by) for invitee in invitees
        ]
    return _send(letters, base_url)


def store_only(*, collection: Collection, invitees: Sequence[Invitee], role: str) -> int:
    """For a dry run: store the invitations without their mails. Returns how many there are."""
    check_sends_mail()
    with transaction.atomic():
        locked_collection = lock_collection(collection)
        return len(
            [store_invitation(locked_collection, invitee, role, None) for invitee in invitees]
        )


def send_again(*, invitation: Invitation, base_url: str) -> SentInvitation:
    """Send the invitation with a new link and a new time. The old link stops working.

    Raises:
        InvitationClosed: it was accepted or revoked.
        TooManyMails: it was just sent, or this collection sent many within the hour.
        NoMail: this server sends no mail.
    """
    check_sends_mail()
    with transaction.atomic():
        lock_collection(invitation.collection)
        locked_invitation = _locked(invitation)
        _check_pace(invitation.collection, 1, locked_invitation)
        letter = _renew(locked_invitation)
        _record(ActionKind.INVITATION_SENT_AGAIN, locked_invitation)
    (sent,) = _send([letter], base_url)
    return sent


def revoke(*, invitation: Invitation) -> None:
    """End the invitation. Its link stops working.

    Raises:
        InvitationClosed: it was accepted or revoked.
    """
    with transaction.atomic():
        lock_collection(invitation.collection)
        locked_invitation = _locked(invitation)
        locked_invitation.revoked_at = timezone.now()
        locked_invitation.save(update_fields=["revoked_at"])
        _record(ActionKind.INVITATION_REVOKED, locked_invitation)


def invitation_of(token: str) -> Invitation:
    """The invitation of a link. Reading it changes nothing: mail programs open links.

    Raises:
        InvitationNotValid: no link, or one that was used, revoked, replaced or is too old.
    """
    usable = Invitation.objects.usable(timezone.now()).select_related("collection", "invited_by")
    invitation = usable.filter(token_digest=digest_of(token.encode())).first()
    if invitation is None or invitation.collection.is_archived:
        raise InvitationNotValid
    return invitation


def usable_invitations_to(email: str) -> QuerySet[Invitation]:
    """The invitations to this email that can be accepted, the oldest first."""
    usable = Invitation.objects.usable(timezone.now()).select_related("collection")
    return usable.filter(email=email, collection__archived_at=None)


def accept(*, invitation: Invitation, person: User) -> Invitation:
    """Give the person the role. The link stops working.

    Raises:
        InvitationNotValid: the invitation can no longer be accepted.
        CannotBlind: the person may not have this role. The link still works.
    """
    collection = invitation.collection
    with transaction.atomic():
        lock_collection(collection)
        locked_invitation = _usable_now(invitation)
        add_membership(collection=collection, user=person, role=locked_invitation.role)
        _mark_accepted(locked_invitation, person)
    return locked_invitation


def accept_with_new_account(
    *, invitation: Invitation, username: str, name: str, password: str | None
) -> User:
    """Create an account with the role. Its email is confirmed, because the link came there.

    The person logs in with the email or with `username_in(collection.slug, username)`, or without
    a password at the institution.

    Raises:
        InvitationNotValid: as `accept`.
        EmailInUse: an account has confirmed the email.
        NameTaken: an account of the collection has that username.
    """
    collection = invitation.collection
    username = username_in(collection.slug, username)
    with transaction.atomic():
        lock_collection(collection)
        invitation = _usable_now(invitation)
        if EmailAddress.objects.filter(email=invitation.email, verified=True).exists():
            raise EmailInUse(invitation.email)
        if is_taken(username):
            raise NameTaken(username)
        person = _create_account(invitation, username, name, password)
        add_membership(collection=collection, user=person, role=invitation.role)
        _mark_accepted(invitation, person)
    return person


def welcome(invitation: Invitation) -> str:
    """The sentence for a person who has just accepted the invitation."""
    return gettext("You are %(role)s of %(collection)s now.") % {
        "role": Role(invitation.role).phrase,
        "collection": invitation.collection,
    }


def store_invitation(
    collection: Collection, invitee: Invitee, role: str, invited_by: User | None
) -> InvitationLetter:
    """Store the invitation, or renew the open one. The caller locks the collection and sends it."""
    existing = Invitation.objects.open().filter(
        collection=collection, email=invitee.email, role=role
    )
    invitation = existing.select_for_update().first() or Invitation(
        collection=collection, email=invitee.email, role=role
    )
    invitation.name = invitee.name or invitation.name
    invitation.invited_by = invited_by or invitation.invited_by
    record_action(
        kind=ActionKind.PERSON_INVITED,
        collection=collection,
        details={"role": str(role)},
        by=invited_by,
    )
    return _renew(invitation)


def _create_account(invitation: Invitation, username: str, name: str, password: str | None) -> User:
    """Raises NameTaken or EmailInUse if a request for another collection was faster."""
    email = invitation.email
    try:
        with transaction.atomic():
            person: User = User.objects.create_user(
                username, email=email, password=password, first_name=name
            )
    except IntegrityError as error:
        raise NameTaken(username) from error
    try:
        with transaction.atomic():
            EmailAddress.objects.create(user=person, email=email, verified=True, primary=True)
            record_action(
                kind=ActionKind.ACCOUNT_CREATED,
                collection=invitation.collection,
                subject=about_person(person),
                by=person,
            )
    except IntegrityError as error:
        raise EmailInUse(email) from error
    return person


def _renew(invitation: Invitation) -> InvitationLetter:
    token = secrets.token_urlsafe(32)
    invitation.token_digest = digest_of(token.encode())
    invitation.expires_at = timezone.now() + timedelta(days=settings.INVITATION_DAYS)
    invitation.save()
    return InvitationLetter(invitation, token)


def _record(kind: ActionKind, invitation: Invitation) -> None:
    """Without the email, which is personal data that expires with the invitation."""
    details = {"role": invitation.role}
    record_action(kind=kind, collection=invitation.collection, details=details)


def _locked(invitation: Invitation) -> Invitation:
    locked = Invitation.objects.select_for_update().get(pk=invitation.pk)
    if locked.accepted_at or locked.revoked_at:
        raise InvitationClosed(locked)
    return locked


def _usable_now(invitation: Invitation) -> Invitation:
    """The invitation as it is now, locked. The collection is locked before.

    Its link must be the one that the caller has read, or it would have been sent again meanwhile.
    """
    usable = Invitation.objects.usable(timezone.now()).select_for_update()
    locked = usable.filter(pk=invitation.pk, token_digest=invitation.token_digest).first()
    if locked is None:
        raise InvitationNotValid
    return locked


def _mark_accepted(invitation: Invitation, person: User) -> None:
    invitation.accepted_by = person
    invitation.accepted_at = timezone.now()
    invitation.save(update_fields=["accepted_by", "accepted_at"])


def _send(letters: Sequence[InvitationLetter], base_url: str) -> list[SentInvitation]:
    """Send the mails, outside of transactions, and count those that went out."""
    errors = send_mails([_mail(letter, base_url) for letter in letters])
    sent = []
    for letter, error in zip(letters, errors, strict=True):
        invitation = letter.invitation
        if error is None:
            counted = {"sent_count": F("sent_count") + 1, "last_sent_at": timezone.now()}
            Invitation.objects.open().filter(pk=invitation.pk).update(**counted)
        sent.append(SentInvitation(invitation, str(error or "")))
    return sent


def _mail(letter: InvitationLetter, base_url: str) -> EmailMessage:
    """In the language of the account with that email, or else of the person who invites."""
    invitation, token = letter
    known = EmailAddress.objects.filter(email=invitation.email, verified=True).first()
    with override(language_of_person(known.user if known else invitation.invited_by)):
        return _mail_in_language(invitation, token, base_url)


def _mail_in_language(invitation: Invitation, token: str, base_url: str) -> EmailMessage:
    context = {
        "invitation": invitation,
        "role": Role(invitation.role).phrase,
        "inviter": invitation.invited_by.shown_name if invitation.invited_by else "",
        "server": settings.SERVER_NAME,
        "contact": settings.SERVER_CONTACT,
        "link": base_url.rstrip("/") + reverse("invitation", args=[token]),
    }
    about = gettext("Invitation to %(collection)s") % {"collection": invitation.collection.name}
    subject = f"[{settings.SERVER_NAME}] {about}"
    text = render_to_string("accounts/invitation_mail.txt", context)
    return EmailMessage(" ".join(subject.split()), text, to=[invitation.email])


def _check_pace(collection: Collection, number: int, invitation: Invitation | None = None) -> None:
    """Raise TooManyMails, so that a collection floods neither a mailbox nor the mail server."""
    now = timezone.now()
    if invitation and invitation.last_sent_at and invitation.last_sent_at > now - SHORTEST_PAUSE:
        raise TooManyMails("This invitation was sent less than a minute ago. Wait a minute.")
    recent = collection.invitations.filter(last_sent_at__gt=now - timedelta(hours=1))
    if recent.count() + number > MOST_AN_HOUR:
        raise TooManyMails(
            f"A collection can send {MOST_AN_HOUR} invitations an hour. Wait an hour, or invite "
            "fewer people."
        )
