"""A session is a row of the database: a change there counts from the next request on."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from tests.support.factories import UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.may_differ]


@pytest.fixture
def person(client):
    user = UserFactory()
    client.force_login(user)
    return user


def is_logged_in(client) -> bool:
    answer = client.get(reverse("account"))
    return answer.status_code == 200


def test_a_session_lasts_until_it_expires(client, person):
    assert is_logged_in(client)

    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert not is_logged_in(client)


def test_a_deleted_session_is_logged_out(client, person):
    Session.objects.all().delete()

    assert not is_logged_in(client)


def test_an_unknown_session_key_is_no_login(client):
    client.cookies["sessionid"] = "x" * 32

    assert not is_logged_in(client)


def test_an_inactive_person_is_logged_out(client, person):
    User.objects.filter(pk=person.pk).update(is_active=False)

    assert not is_logged_in(client)


def test_a_changed_password_ends_the_session(client, person):
    person.set_password("another-password-of-this-person")
    person.save()

    assert not is_logged_in(client)


def test_the_person_is_read_with_all_columns(client, person):
    User.objects.filter(pk=person.pk).update(first_name="Ada", must_change_password=True)

    assert client.get(reverse("home")).url == reverse("account_change_password")
