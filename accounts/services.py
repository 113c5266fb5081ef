"""Making collections, inviting people, changing and ending memberships, tokens for scripts."""

from __future__ import annotations

import hashlib
import logging
import secrets
from datetime import timedelta
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from accounts.models import ADMIN, ROLES, Collection, Invitation, Membership, Token, User, Verb
from accounts.record import record
from web.errors import BadInput, Conflict, NotFound

logger = logging.getLogger(__name__)
INVITATION_DAYS = 14


def lock_collection(collection: Collection) -> Collection:
    """The collection's row, locked until the transaction ends: for whatever changes the collection's shape.

    Not against new rows that refer to it (`no_key`): a judgment or decision holds its pair and refers to the
    collection, so it would wait here while the holder of this lock waits for its pair.
    """
    return Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)


@transaction.atomic
def create_collection(*, by: User, **fields: Any) -> Collection:
    collection = Collection.objects.create(**fields)
    Membership.objects.create(collection=collection, user=by, is_admin=True, was_admin=True)
    record(Verb.CREATED, collection=collection, by=by)
    return collection


@transaction.atomic
def add_member(*, collection: Collection, user: User, roles: list[str]) -> Membership:
    """Add the person, or bring back who left; the given roles are added to those they have."""
    if not roles:
        raise BadInput("Choose at least one role.")
    given = {f"is_{role}": True for role in roles} | ({"was_admin": True} if ADMIN in roles else {})
    membership, _ = Membership.objects.update_or_create(
        collection=collection, user=user, defaults=given | {"left_at": None}
    )
    record(Verb.JOINED, collection=collection, by=user, roles=membership.roles)
    return membership


@transaction.atomic
def set_roles(*, membership: Membership, roles: list[str]) -> Membership:
    """Who left comes back with them."""
    if not membership.user.is_active:
        raise Conflict(f"The account of {membership.user} is closed.")
    lock_collection(membership.collection)
    if not roles:
        raise BadInput("Choose at least one role. To end the membership, choose Remove.")
    if ADMIN not in roles:
        keep_an_admin(membership)
    for role in ROLES:
        setattr(membership, f"is_{role}", role in roles)
    membership.was_admin |= membership.is_admin
    membership.left_at = None
    membership.save()
    record(Verb.ROLES, collection=membership.collection, about=membership.user, roles=membership.roles)
    return membership


@transaction.atomic
def remove_member(*, membership: Membership) -> None:
    """The person can no longer come in. What they judged stays; open work is handed over on the progress page."""
    lock_collection(membership.collection)
    keep_an_admin(membership)
    membership.left_at = timezone.now()
    membership.save()
    record(Verb.REMOVED, collection=membership.collection, about=membership.user)


def keep_an_admin(membership: Membership) -> None:
    admins = membership.collection.memberships.active().filter(is_admin=True).exclude(pk=membership.pk)
    if membership.is_admin and not admins.exists():
        raise Conflict(
            f"{membership.user} is the only admin of {membership.collection}. Make someone else an admin first."
        )


def invite(
    *, collection: Collection, by: User, roles: list[str], email: str = "", base_url: str = ""
) -> tuple[Invitation, str, bool]:
    """The invitation; its link, which is shown once and stored nowhere; and whether it was mailed.

    A link in a mail is made from the configured address, never from the request's Host header.
    """
    if not roles:
        raise BadInput("Choose at least one role.")
    token = secrets.token_urlsafe(24)
    with transaction.atomic():
        invitation = Invitation.objects.create(
            collection=collection,
            token_hash=_hash(token),
            email=email,
            invited_by=by,
            expires_at=timezone.now() + timedelta(days=INVITATION_DAYS),
            **{f"is_{role}": role in roles for role in ROLES},
        )
        record(Verb.INVITED, collection=collection, by=by, roles=roles)
    link = (settings.SITE_URL or base_url) + reverse("invitation", args=[token])
    is_mailed = bool(email and settings.SITE_URL)
    if is_mailed:
        text = render_to_string("accounts/invitation_mail.txt", {"invitation": invitation, "link": link})
        subject = f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}Invitation to {collection.name}"
        try:
            send_mail(subject, text, None, [email])
        except (SMTPException, OSError) as error:
            logger.warning("the invitation was not mailed: %s", error)
            is_mailed = False
    return invitation, link, is_mailed


@transaction.atomic
def withdraw_invitation(*, collection: Collection, pk: int) -> None:
    if collection.invitations.filter(pk=pk, accepted_by=None).delete()[0]:
        record(Verb.WITHDREW, collection=collection)


def find_invitation(token: str) -> Invitation:
    invitation = Invitation.objects.select_related("collection", "invited_by").filter(token_hash=_hash(token)).first()
    if invitation is None or not invitation.is_open:
        raise NotFound("This invitation was used, has expired, or never existed. Ask the admin for a new link.")
    return invitation


@transaction.atomic
def accept_invitation(*, token: str, user: User) -> Membership:
    """Make the person a member. A link that two people open at once serves the first."""
    invitation = find_invitation(token)
    taken = Invitation.objects.filter(pk=invitation.pk, accepted_by=None).update(accepted_by=user)
    if not taken:
        raise NotFound("This invitation was used just now. Ask the admin for a new link.")
    roles = [role for role in ROLES if getattr(invitation, f"is_{role}")]
    return add_member(collection=invitation.collection, user=user, roles=roles)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def make_token(*, user: User, name: str, days: int) -> tuple[Token, str]:
    """The token, and its text, which is shown once and stored nowhere.

    Its name is not recorded: it may name a person, and would stay when they are erased.
    """
    token, text = Token.objects.create(user=user, expiry=timedelta(days=days), name=name)
    record(Verb.TOKEN, by=user, days=days)
    return token, text


@transaction.atomic
def revoke_token(*, user: User, digest: str) -> None:
    if Token.objects.filter(user=user, digest=digest).delete()[0]:
        record(Verb.REVOKED, by=user)
