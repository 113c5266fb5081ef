"""A new password ends the API tokens; a one-time password must be changed first."""

from __future__ import annotations

import io
import sys

import pytest
from django.contrib.auth.hashers import make_password
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.actions.kinds import ActionKind
from accounts.models import RecordedAction, Role, User
from accounts.services import create_person
from tests.support.api_world import token_of
from tests.support.crawling import patterns
from tests.support.factories import PASSWORD, UserFactory, a_collection

pytestmark = pytest.mark.django_db

NEW = "another horse battery"


def change(client, old=PASSWORD, new=NEW):
    form = {"oldpassword": old, "password1": new, "password2": new}
    return client.post(reverse("account_change_password"), form)


@pytest.fixture
def person(client):
    person = UserFactory(username="person")
    client.force_login(person)
    return person


@pytest.fixture
def newcomer(client):
    """A user who has just logged in with a one-time password; returns the password."""
    collection = a_collection()
    password = create_person(collection=collection, username="new", name="", role=Role.ANNOTATOR)
    client.force_login(the_newcomer())
    return password


def uses_api(token: str) -> bool:
    headers = {"Authorization": f"Token {token}"}
    return Client().get("/api/v1/collections/", headers=headers).status_code == 200


def the_newcomer() -> User:
    return User.objects.get(username__startswith="new")


def test_a_changed_password_ends_the_api_tokens_and_other_sessions(client, person):
    token = {"Authorization": f"Token {token_of('person')}"}
    elsewhere = Client()
    elsewhere.force_login(person)
    kept = token_of(UserFactory().username)
    assert client.get("/api/v1/collections/", headers=token).status_code == 200

    assert change(client).url == reverse("account")

    assert Client().get("/api/v1/collections/", headers=token).status_code == 401
    assert uses_api(kept)
    assert client.get(reverse("account")).status_code == 200
    assert elsewhere.get(reverse("account")).status_code == 302


def set_on_the_machine(monkeypatch, *lines: str, dry_run: bool = False) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    call_command("changepassword", "person", dry_run=dry_run)


def test_a_password_set_on_the_machine_ends_the_api_tokens_and_is_recorded(person, monkeypatch):
    token = token_of("person")

    set_on_the_machine(monkeypatch, "short", NEW, "other", NEW, NEW)

    assert not uses_api(token)
    person.refresh_from_db()
    assert person.check_password(NEW)
    action = RecordedAction.objects.latest("pk")
    assert (action.kind, action.about, action.tool) == (
        *(ActionKind.PASSWORD_CHANGED, person, "changepassword"),
    )


def test_a_password_on_the_machine_stays_after_three_refusals_and_a_dry_run(person, monkeypatch):
    with pytest.raises(CommandError, match="person keeps the old one"):
        set_on_the_machine(monkeypatch, "short", "12345678", NEW, "other", NEW, NEW)
    set_on_the_machine(monkeypatch, NEW, NEW, dry_run=True)

    person.refresh_from_db()
    assert not person.check_password(NEW)
    assert not RecordedAction.objects.filter(kind=ActionKind.PASSWORD_CHANGED).exists()


def test_a_newer_hash_of_the_same_password_keeps_the_api_tokens(person, settings):
    token = token_of("person")
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.ScryptPasswordHasher",
        "django.contrib.auth.hashers.MD5PasswordHasher",
    ]
    User.objects.filter(pk=person.pk).update(password=make_password(PASSWORD, hasher="md5"))

    answer = Client().post(reverse("login"), {"login": "person", "password": PASSWORD})

    person.refresh_from_db()
    assert answer.status_code == 302
    assert person.password.startswith("scrypt$")
    assert uses_api(token)


def test_a_wrong_present_password_ends_nothing(client, person):
    token = token_of("person")

    assert change(client, old="wrong").status_code == 422
    assert uses_api(token)


def test_a_one_time_password_leads_from_every_page_to_the_form_for_another(client, newcomer):
    form = reverse("account_change_password")
    open_before = {"login", "logout", "account_login", "account_logout"} | {
        "account_change_password"
    }
    names = [
        (pattern.name, route)
        for route, pattern in patterns()
        if "<" not in route and "^" not in route and not route.startswith("api/v1/")
    ]
    assert len(names) >= 6
    for name, route in names:
        if name not in open_before | {"api-schema"}:
            assert (name, client.get(f"/{route}").headers.get("Location")) == (name, form)
    for address in ("/c/small/", "/c/small/judge/", "/c/small/people/"):
        assert client.get(address).url == form
        assert client.post(address).url == form
    assert client.get("/c/small/", headers={"HX-Request": "true"})["HX-Redirect"] == form


def test_the_form_says_why_and_offers_no_way_around(client, newcomer):
    page = client.get(reverse("account_change_password"))

    assert "Choose your own password to continue" in page.text
    assert ">Cancel<" not in page.text


def test_a_one_time_password_gives_no_api(client, newcomer):
    token = {"Authorization": f"Token {token_of(the_newcomer().username)}"}
    for address in ("/api/v1/collections/", "/api/v1/collections/small/judging/", "/api/schema/"):
        for answer in (Client().get(address, headers=token), client.get(address)):
            assert answer.status_code == 403
            assert "password_change_required" in answer.text


def test_with_an_own_password_everything_opens(client, newcomer):
    assert change(client, old=newcomer).url == reverse("account")

    assert client.get("/c/small/judge/").status_code == 200
    token = {"Authorization": f"Token {token_of(the_newcomer().username)}"}
    assert Client().get("/api/v1/collections/", headers=token).status_code == 200


def test_the_one_time_password_is_not_taken_for_an_own_one(client, newcomer):
    page = change(client, old=newcomer, new=newcomer)

    assert "Choose a password that differs from the current one" in page.text
    assert the_newcomer().must_change_password


def test_logging_out_is_always_possible(client, newcomer):
    assert client.post(reverse("logout")).url == reverse("login")


def test_no_answer_may_be_stored(client, person):
    a_collection()
    client.force_login(User.objects.get(username="ann1"))
    token = {"Authorization": f"Token {token_of('ann1')}"}
    for answer in (
        client.get("/c/small/"),
        client.get("/c/small/judge/"),
        client.get("/account/"),
        client.get("/no/such/page/"),
        client.get("/c/small/judge/?from=%00"),
        client.get("/api/docs/"),
        client.get("/api/v1/collections/"),
        Client().get("/api/v1/collections/small/judging/", headers=token),
        Client().get("/api/v1/collections/"),
    ):
        directives = set(answer["Cache-Control"].replace(" ", "").split(","))
        assert {"private", "no-store"} <= directives
