"""Two people, or one who clicks twice, at the same moment."""

from __future__ import annotations

from django.test import Client

from accounts import erasing, services
from accounts.models import User
from tests import builders
from tests.transactions import REAL_TRANSACTIONS, together

pytestmark = REAL_TRANSACTIONS


def test_one_link_makes_one_account_and_the_other_attempt_is_told(collection, people):
    link = services.invite(collection=collection, by=people.admin, roles=["annotator"])[1]
    clients = [Client() for _ in range(3)]
    account = {"username": "eva", "password": "correct horse"}
    codes = together(*(lambda client=client: client.post(link, account).status_code for client in clients))
    assert codes.count(302) == 1
    assert set(codes) <= {302, 200, 404, 409}
    assert User.objects.filter(username="eva").count() == 1


def test_two_admins_erased_at_once_leave_one(collection, people):
    services.add_member(collection=collection, user=people.ada, roles=["admin"])
    root = builders.person("root")
    together(
        *[lambda person=person: erasing.erase_person(person=person, by=root) for person in (people.admin, people.ada)]
    )
    assert collection.memberships.active().filter(is_admin=True, user__is_active=True).count() == 1
