"""Two who change the same account, invitation or rule at once, in each order."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, permutations

import pytest
from allauth.mfa.totp.internal.auth import TOTP
from django.db import transaction
from django.test import Client
from django.utils import timezone

from accounts.invitations.addresses import Invitee
from accounts.invitations.models import Invitation
from accounts.invitations.services import (
    accept,
    accept_with_new_account,
    revoke,
    send_again,
    store_invitation,
)
from accounts.locking import CollectionArchived
from accounts.login.second_factors import (
    SecondFactorRequired,
    check_second_factor,
    remove_second_factors,
)
from accounts.models import ApiToken, Collection, Role, User
from accounts.services import LastAdmin, take_role
from accounts.tokens.scopes import TokenScope
from accounts.tokens.services import MOST_TOKENS, TooManyTokens, create_token, revoke_token
from dashboard.services import change_roles, change_second_factor_rule
from dashboard.settings.archiving import archive_collection, unarchive_collection
from tests.accounts.test_second_factors import SECRET
from tests.support.factories import UserFactory, a_collection, member
from tests.support.held_transactions import held_open

pytestmark = [
    pytest.mark.faults,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("on_postgresql"),  # SQLite has one writer at a time
]
NUMBERS = count()


def _accepts(invitation: Invitation) -> Callable[[], object]:
    person = UserFactory(username=f"person{next(NUMBERS)}")
    return lambda: accept(invitation=invitation, person=person)


def _joins(invitation: Invitation) -> Callable[[], object]:
    username = f"new{next(NUMBERS)}"
    return lambda: accept_with_new_account(
        invitation=invitation, username=username, name="", password=None
    )


def _revokes(invitation: Invitation) -> Callable[[], object]:
    return lambda: revoke(invitation=invitation)


def _sends_again(invitation: Invitation) -> Callable[[], object]:
    return lambda: send_again(invitation=invitation, base_url="http://x")


def _archives(invitation: Invitation) -> Callable[[], object]:
    return lambda: archive_collection(collection=invitation.collection)


ACCEPTING = (_accepts, _joins)
ENDS = (_accepts, _joins, _revokes, _sends_again, _archives)


def test_an_invitation_is_accepted_once_or_ended():
    collection = a_collection()
    pairs = [*permutations(ENDS, 2), (_accepts, _accepts), (_joins, _joins)]
    for first, second in pairs:
        if not {first, second} & set(ACCEPTING):
            continue
        with transaction.atomic():
            letter = store_invitation(
                collection, Invitee(f"p{next(NUMBERS)}@example.org"), Role.CURATOR, None
            )
        invitation = Invitation.objects.select_related("collection").get(pk=letter.invitation.pk)
        before = collection.memberships.filter(role=Role.CURATOR).count()

        outcomes = held_open(first(invitation), second(invitation))

        names = (first.__name__, second.__name__, outcomes)
        given = collection.memberships.filter(role=Role.CURATOR).count() - before
        invitation.refresh_from_db()
        assert outcomes[0] is None, names
        assert given == (first in ACCEPTING), names
        assert bool(invitation.accepted_at) == (first in ACCEPTING), names
        assert not (invitation.accepted_at and invitation.revoked_at), names
        if second is _archives:  # an accepted role stays
            assert outcomes[1] is None, names
        else:
            assert outcomes[1] is not None, names
            assert isinstance(outcomes[1], CollectionArchived) == (first is _archives), names
        collection.refresh_from_db()
        if collection.is_archived:
            unarchive_collection(collection=collection)


def test_of_two_admins_who_leave_or_become_curators_one_stays():
    collection = a_collection()
    member(collection, Role.ADMIN, "second")

    def membership(name: str):
        return collection.memberships.select_related("collection", "user").get(
            user__username=name, role=Role.ADMIN
        )

    def leaves(name: str) -> Callable[[], object]:
        row = membership(name)
        return lambda: take_role(membership=row)

    def is_demoted(name: str) -> Callable[[], object]:
        person = User.objects.get(username=name)
        return lambda: change_roles(collection=collection, person=person, roles=[Role.CURATOR])

    for first, second in ((leaves, is_demoted), (is_demoted, leaves), (is_demoted, is_demoted)):
        outcomes = held_open(first("admin"), second("second"))

        assert outcomes[0] is None
        assert isinstance(outcomes[1], LastAdmin)
        assert collection.memberships.filter(role=Role.ADMIN).count() == 1
        change_roles(
            collection=collection, person=User.objects.get(username="admin"), roles=[Role.ADMIN]
        )


def test_a_token_is_used_before_it_is_revoked_or_not_at_all():
    person = UserFactory(username="person")
    token = create_token(person=person, name="Program", scope=TokenScope.READ, days=None)
    row = person.api_tokens.get()
    statuses: list[int] = []

    def use() -> None:
        headers = {"Authorization": f"Token {token}"}
        statuses.append(Client().get("/api/v1/collections/", headers=headers).status_code)

    held_open(lambda: revoke_token(token=row), use)
    use()

    assert statuses in ([200, 401], [401, 401])  # it began before the revocation was committed
    row.refresh_from_db()
    assert row.revoked_at is not None


def test_of_two_tokens_that_are_created_at_once_one_is_the_last():
    person = UserFactory(username="person")
    ApiToken.objects.bulk_create(
        ApiToken(user=person, name="x", scope="read", digest=str(number), start="qrelsmith_")
        for number in range(MOST_TOKENS - 1)
    )

    def create() -> None:
        create_token(person=person, name="Program", scope=TokenScope.READ, days=None)

    outcomes = held_open(create, create)

    assert outcomes[0] is None
    assert isinstance(outcomes[1], TooManyTokens)
    assert person.api_tokens.valid(timezone.now()).count() == MOST_TOKENS


def test_an_admin_without_a_second_factor_is_kept_out_whichever_change_is_first():
    collection = a_collection()
    admin = User.objects.get(username="admin")

    def requires() -> None:
        change_second_factor_rule(collection=collection, admins_need_second_factor=True)

    def removes() -> None:
        remove_second_factors(person=admin)

    for changes in ((requires, removes), (removes, requires)):
        Collection.objects.update(admins_need_second_factor=False)
        TOTP.activate(admin, SECRET)

        assert held_open(*changes) == [None, None]

        with pytest.raises(SecondFactorRequired):
            check_second_factor(Collection.objects.get(pk=collection.pk), admin)
