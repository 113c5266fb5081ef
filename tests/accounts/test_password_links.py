"""An admin makes a link with which a person chooses a new password once."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import Role, User
from accounts.password_links import (
    DAYS,
    LinkNotValid,
    PasswordLink,
    PasswordLinkRefused,
    _Tokens,
    choose_password,
    password_link,
)
from tests.support.api_world import token_of
from tests.support.factories import PASSWORD, UserFactory, a_collection, member

pytestmark = pytest.mark.django_db
NEW = "another horse battery"
BEYOND = "has rights outside the collections that you administer"


@pytest.fixture
def collection(client):
    collection = a_collection()
    client.force_login(User.objects.get(username="admin"))
    return collection


def the(username: str) -> User:
    return User.objects.get(username=username)


def link_for(username: str, asked_by: str = "admin") -> str:
    return password_link(asked_by=the(asked_by), person=the(username))


def choose(path: str, password: str = NEW):
    form = {"new_password1": password, "new_password2": password}
    return Client().post(path, form, follow=True)


def ask(client, collection, username: str):
    membership = collection.memberships.filter(user__username=username).first()
    address = reverse("make-password-link", args=[collection.slug, membership.pk])
    return client.post(address, follow=True)


def test_the_link_on_the_page_gives_a_new_password_once(client, collection):
    api_token = {"Authorization": f"Token {token_of('ann1')}"}
    page = ask(client, collection, "ann1")
    [address] = re.findall(r'id="password-link">([^<]+)<', page.text)
    path = address.removeprefix("http://testserver")
    assert address != path
    assert "no-store" in page["Cache-Control"]

    for _ in range(2):  # as a mail program may look at it
        assert "<strong>ann1</strong>" in Client().get(path).text
        assert Client().head(path).status_code == 200
    assert the("ann1").check_password(PASSWORD)
    done = choose(path)

    assert done.redirect_chain == [(reverse("login"), 302)]
    assert "Password changed. Log in as ann1." in done.text
    assert the("ann1").check_password(NEW)
    assert Client().get("/api/v1/collections/", headers=api_token).status_code == 401
    assert choose(path, "a third horse battery").status_code == 404
    assert the("ann1").check_password(NEW)


def test_a_password_that_is_too_weak_or_mistyped_leaves_the_link_working(collection):
    path = link_for("ann1")

    weak = choose(path, "12345")
    differing = Client().post(path, {"new_password1": NEW, "new_password2": "other"})

    assert (weak.status_code, differing.status_code) == (422, 422)
    assert "too short" in weak.text
    assert choose(path).status_code == 200


def test_a_person_who_never_logged_in_need_not_change_the_password_again(collection):
    User.objects.filter(username="ann1").update(must_change_password=True)
    browser = Client()
    browser.force_login(the("ann1"))  # with the one-time password

    assert browser.get(link_for("ann1")).status_code == 200
    choose(link_for("ann1"))

    assert not the("ann1").must_change_password


def _log_in(collection):
    Client().post(reverse("login"), {"login": "ann1", "password": PASSWORD})


def _change_the_password(collection):
    person = the("ann1")
    person.set_password("yet another horse")
    person.save()


def _give_rights_elsewhere(collection):
    member(a_collection_of_another_admin(), Role.ADJUDICATOR, "ann1")


def _make_staff(collection):
    User.objects.filter(username="ann1").update(is_staff=True)


def _end_the_membership(collection):
    collection.memberships.filter(user__username="ann1").delete()


def _end_the_admin(collection):
    collection.memberships.filter(user__username="admin").delete()


def _lock_the_admin_out(collection):
    User.objects.filter(username="admin").update(is_active=False)


def a_collection_of_another_admin():
    other = a_collection("other")
    other.memberships.all().delete()
    member(other, Role.ADMIN, "far-admin")
    return other


@pytest.mark.one_database
@pytest.mark.parametrize(
    "change",
    [
        _log_in,
        _change_the_password,
        _give_rights_elsewhere,
        _make_staff,
        _end_the_membership,
        _end_the_admin,
        _lock_the_admin_out,
    ],
)
def test_a_link_ends_with_what_it_stood_on(change, collection):
    path = link_for("ann1")
    change(collection)
    password = the("ann1").password

    for answer in (Client().get(path), choose(path)):
        assert answer.status_code == 404
        assert "This link does not work" in answer.text
    assert the("ann1").password == password


def test_a_link_ends_after_its_time(collection, monkeypatch):
    path = link_for("ann1")
    later = datetime.now() + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT + 60)
    monkeypatch.setattr(_Tokens, "_now", lambda self: later)

    assert Client().get(path).status_code == 404
    assert DAYS == 3


def test_a_link_is_for_one_person_and_from_one_admin(collection):
    path = link_for("ann1")
    member(collection, Role.ADMIN, "second")
    own, other, second = (the(name).pk for name in ("ann1", "ann2", "second"))

    for wrong in (
        path.replace(f"/{own}/", f"/{other}/", 1),
        path.replace(f"/{the('admin').pk}/", f"/{second}/"),
        path.replace(f"/{own}/", f"/{'9' * 30}/", 1),
        path[:-2] + "x/",
    ):
        assert wrong != path
        assert Client().get(wrong).status_code == 404


def _staff(person):
    User.objects.filter(pk=person.pk).update(is_staff=True)


def _superuser(person):
    User.objects.filter(pk=person.pk).update(is_superuser=True)


def _admin_elsewhere(person):
    member(a_collection_of_another_admin(), Role.ADMIN, person.username)


def _annotator_where_the_admin_has_another_role(person):
    other = a_collection_of_another_admin()
    member(other, Role.CURATOR, "admin")
    member(other, Role.ANNOTATOR, person.username)


@pytest.mark.parametrize(
    "give",
    [_staff, _superuser, _admin_elsewhere, _annotator_where_the_admin_has_another_role],
)
def test_nobody_with_rights_elsewhere_gets_a_link_and_the_page_says_so(give, client, collection):
    give(the("adju"))

    refused = ask(client, collection, "adju")

    assert refused.text.count(f"adju {BEYOND}") == 2  # the message, and the row
    assert "password-link&quot;" not in refused.text
    assert 'id="password-link"' not in refused.text
    with pytest.raises(PasswordLinkRefused):
        link_for("adju")


def test_an_admin_of_all_their_collections_may_reset_them(collection):
    second = a_collection("second")  # of the same admin
    member(second, Role.ADJUDICATOR, "adju")
    member(collection, Role.ADMIN, "colleague")

    assert choose(link_for("adju")).status_code == 200
    assert choose(link_for("colleague")).status_code == 200


def test_the_own_account_and_imported_names_have_no_link(client, collection):
    member(collection, Role.ANNOTATOR, "imported")
    User.objects.filter(username="imported").update(is_active=False)

    assert "Change your password on your account page" in ask(client, collection, "admin").text
    page = ask(client, collection, "imported")
    assert "imported cannot log in" in page.text
    assert "Reset password…" not in page.text


def test_someone_without_any_role_is_out_of_reach(collection):
    UserFactory(username="stranger")

    with pytest.raises(PasswordLinkRefused, match=BEYOND):
        link_for("stranger")


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_of_two_who_use_a_link_at_once_one_sets_the_password(on_postgresql):
    a_collection()
    *_, person_id, made_by_id, token, _ = link_for("ann1").split("/")
    link = PasswordLink(int(person_id), int(made_by_id), token)
    start = threading.Barrier(2)

    def use(password):
        try:
            start.wait()
            choose_password(link=link, password=password)
        except LinkNotValid:
            return None
        finally:
            connection.close()
        return password

    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(use, ["first horse battery", "second horse battery"]))

    [password] = filter(None, outcomes)
    assert the("ann1").check_password(password)
