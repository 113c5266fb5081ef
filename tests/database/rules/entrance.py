"""Rows that break the rules of invitations and of API tokens, which are packages of `accounts`."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from accounts.invitations.addresses import Invitee
from accounts.invitations.models import Invitation
from accounts.invitations.services import store_invitation
from accounts.models import ApiToken, Role
from accounts.tokens.scopes import TokenScope
from accounts.tokens.services import create_token
from tests.database.rules.world import Case, World, again, change


def invitation_of(world: World) -> Invitation:
    invitee = Invitee("mara@example.org", "")
    return store_invitation(world.collection, invitee, Role.CURATOR, None).invitation


def accepted(world: World, **changes: object) -> Invitation:
    invitation = invitation_of(world)
    accepting = {"accepted_at": timezone.now(), "accepted_by": world.stranger}
    change(invitation, **(accepting | changes))
    return invitation


def token_of(world: World) -> ApiToken:
    create_token(person=world.stranger, name="Program", scope=TokenScope.READ, days=30)
    return world.stranger.api_tokens.get()


CASES = [
    Case("invitation_open_once", lambda world: again(invitation_of(world), token_digest="other")),
    Case(
        "accounts_invitation.token_digest",
        lambda world: again(invitation_of(world), email="noor@example.org"),
    ),
    Case("invitation_role_known", lambda world: again(invitation_of(world), role="guest")),
    Case("invitation_accepted_by_a_person", lambda world: accepted(world, accepted_by=None)),
    Case(
        "invitation_accepted_or_revoked", lambda world: accepted(world, revoked_at=timezone.now())
    ),
    Case(
        "invitation_accepted_in_time",
        lambda world: accepted(world, accepted_at=timezone.now() + timedelta(days=400)),
    ),
    Case("invitation_used_once", lambda world: change(accepted(world), name="Noor")),
    Case(
        "invitation_never_redirected",
        lambda world: change(invitation_of(world), email="noor@example.org"),
    ),
    Case("api_token_digest_once", lambda world: again(token_of(world))),
    Case("api_token_scope_known", lambda world: change(token_of(world), scope="all")),
    Case(
        "api_token_expires_after_creation",
        lambda world: change(token_of(world), expires_at=timezone.now() - timedelta(days=1)),
    ),
]
