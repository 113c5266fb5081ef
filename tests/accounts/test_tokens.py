"""Tokens of the API: how they are made, shown, used and ended. Scopes: `test_permissions`."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from contextlib import closing
from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.db.migrations.state import ProjectState
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import ApiToken
from accounts.tokens.scopes import TokenScope
from accounts.tokens.services import MOST_TOKENS, create_token, revoke_token
from tests.support.factories import UserFactory

pytestmark = pytest.mark.django_db

FORM = {"name": "Nightly backup", "scope": "read", "lifetime": "90"}
COLLECTIONS = "/api/v1/collections/"


@pytest.fixture
def person(client):
    person = UserFactory(username="person")
    client.force_login(person)
    return person


def a_token(person, **fields) -> str:
    token = create_token(person=person, name="Program", scope=TokenScope.READ, days=None)
    person.api_tokens.filter(digest=digest_of(token)).update(**({"name": "Program"} | fields))
    return token


def digest_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def use(token: str, keyword: str = "Token"):
    return Client().get(COLLECTIONS, headers={"Authorization": f"{keyword} {token}"})


def test_a_token_is_shown_once_and_only_its_hash_is_stored(client, person):
    page = client.post(reverse("tokens"), FORM)

    (token,) = re.findall(r"qrelsmith_[0-9a-f]{64}", page.text)
    assert "no-store" in page["Cache-Control"]
    row = person.api_tokens.get()
    assert (row.name, row.scope, row.digest) == ("Nightly backup", "read", digest_of(token))
    assert row.expires_at - row.created_at == timedelta(days=90)
    assert token not in str(ApiToken.objects.values().get())
    listed = client.get(reverse("tokens")).text
    assert token not in listed
    assert row.start == token[:16]
    assert row.start in listed
    assert use(token).status_code == use(token, "Bearer").status_code == 200


def test_a_person_has_many_tokens_and_revokes_one(client, person):
    kept, ended = a_token(person), a_token(person, name="Old laptop")
    row = person.api_tokens.get(digest=digest_of(ended))

    page = client.post(reverse("revoke-token", args=[row.pk]), follow=True)

    assert "Token “Old laptop” revoked" in page.text
    assert use(kept).status_code == 200
    refused = use(ended)
    assert (refused.status_code, refused.json()["code"]) == (401, "token_revoked")
    assert refused.json()["detail"].startswith("This token was revoked on ")
    revoked_at = ApiToken.objects.get(pk=row.pk).revoked_at
    revoke_token(token=row)
    assert ApiToken.objects.get(pk=row.pk).revoked_at == revoked_at


def test_an_expired_token_says_when_it_expired(client, person):
    before = timezone.now() - timedelta(days=2)
    token = a_token(person, created_at=before, expires_at=before + timedelta(days=1))

    refused = use(token)

    assert (refused.status_code, refused.json()["code"]) == (401, "token_expired")
    assert "expired on" in refused.json()["detail"]
    assert refused["WWW-Authenticate"] == "Token"
    assert "<strong>Expired</strong>" in client.get(reverse("tokens")).text


def test_the_page_warns_before_a_token_expires(client, person, django_assert_num_queries):
    soon = timezone.now() + timedelta(days=3, hours=1)
    for _ in range(3):
        a_token(person, expires_at=soon)
    a_token(person, start="d61752")

    with django_assert_num_queries(4):
        page = client.get(reverse("tokens")).text

    assert page.count("<strong>Expires soon:</strong>") == 3
    assert f"</strong> {soon.day} {soon:%B %Y}" in page
    assert page.count("Replace it with a token") == 1  # a key of before has no prefix


@pytest.mark.parametrize("form", [{"scope": "owner"}, {"name": ""}, {"lifetime": "9000"}])
def test_a_token_needs_a_name_a_scope_and_a_lifetime_of_the_list(client, person, form):
    page = client.post(reverse("tokens"), FORM | form)

    assert page.status_code == 422
    assert not ApiToken.objects.exists()


def test_a_person_has_no_more_than_fifty_valid_tokens(client, person):
    a_token(person, revoked_at=timezone.now())
    rows = [
        ApiToken(user=person, name="x", scope="read", digest=str(number), start="qrelsmith_")
        for number in range(MOST_TOKENS)
    ]
    ApiToken.objects.bulk_create(rows)

    page = client.post(reverse("tokens"), FORM)

    assert page.status_code == 409
    assert "Revoke one first" in page.text
    assert person.api_tokens.unrevoked().count() == MOST_TOKENS


def test_a_token_opens_no_page_and_creates_no_token(person):
    token = {"Authorization": f"Token {a_token(person)}"}

    for answer in (
        Client().get(reverse("tokens"), headers=token),
        Client().post(reverse("tokens"), FORM, headers=token),
    ):
        assert answer.status_code == 302
        assert answer.url.startswith(reverse("login"))
    assert ApiToken.objects.count() == 1


def test_use_is_recorded_at_most_once_a_minute(person):
    token = a_token(person)
    use(token)
    first = person.api_tokens.get().last_used_at
    assert timezone.now() - first < timedelta(minutes=1)

    use(token)
    assert person.api_tokens.get().last_used_at == first

    person.api_tokens.update(last_used_at=first - timedelta(minutes=2))
    use(token)
    assert person.api_tokens.get().last_used_at > first


@pytest.mark.usefixtures("on_sqlite")  # PostgreSQL locks rows only
@pytest.mark.django_db(transaction=True)
def test_a_request_does_not_wait_for_a_writer_to_record_the_use(person):
    token = a_token(person)
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as writer:
        writer.execute("BEGIN IMMEDIATE")

        assert use(token).status_code == 200

        writer.rollback()
    assert person.api_tokens.get().last_used_at is None
    use(token)
    assert person.api_tokens.get().last_used_at is not None


def test_the_database_refuses_an_unknown_scope_and_a_hash_twice(person):
    a_token(person)
    row = person.api_tokens.get()
    later = row.created_at - timedelta(days=1)
    for changes in ({"scope": "owner"}, {"expires_at": later}):
        with pytest.raises(IntegrityError), transaction.atomic():
            ApiToken.objects.update(**changes)
    row.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save()


def test_keys_of_before_stay_valid_as_hashes(person):
    key = "9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b"
    migration = import_module("accounts.migrations.0004_api_tokens")
    state = ProjectState.from_apps(apps)
    migration.Migration.operations[1].state_forwards("accounts", state)
    with connection.cursor() as cursor:
        columns = "key varchar(40), user_id bigint, created timestamp with time zone"
        cursor.execute(f"CREATE TABLE authtoken_token ({columns})")
        row = [key, person.pk, "2026-01-02 03:04:05+00:00"]
        cursor.execute("INSERT INTO authtoken_token VALUES (%s, %s, %s)", row)

        migration.hash_keys(
            state.apps, SimpleNamespace(connection=connection, execute=cursor.execute)
        )

    assert "authtoken_token" not in connection.introspection.table_names()
    token = person.api_tokens.get()
    assert (token.scope, token.expires_at, token.created_at.year) == ("admin", None, 2026)
    assert token.is_old_key
    assert key not in str(ApiToken.objects.values().get())
    assert use(key).status_code == 200


def test_a_command_creates_a_token(person, capsys):
    call_command("create_token", "person", "--name", "Cron", "--scope", "judge", "--expires=never")

    token = capsys.readouterr().out.strip()
    row = person.api_tokens.get()
    assert (row.scope, row.expires_at) == ("judge", None)
    assert use(token).status_code == 200
