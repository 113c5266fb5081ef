"""Log-ins by OpenID Connect: whose account they open. The provider here says what it is told."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.test import Client
from django.urls import reverse

from accounts import services
from accounts.models import Action, User

pytestmark = pytest.mark.django_db

LOGIN = reverse("openid_connect_login", args=["sso"])
CALLBACK = reverse("openid_connect_callback", args=["sso"])


@pytest.fixture
def provider(settings):
    """`provider.claims` is what it says of whoever comes."""
    made = SimpleNamespace(claims={})

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.answer(made.claims if self.path == "/me" else made.configuration)

        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.answer({"access_token": "token", "token_type": "Bearer"})

        def answer(self, said):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(said).encode())

        def log_message(self, *_):
            pass

    made.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    url = f"http://127.0.0.1:{made.server.server_port}"
    endpoints = {"authorization_endpoint": "/auth", "token_endpoint": "/token", "userinfo_endpoint": "/me"}
    made.configuration = {"issuer": url} | {key: url + path for key, path in endpoints.items()}
    app = {"provider_id": "sso", "name": "Lab", "client_id": "id", "secret": "s", "settings": {"server_url": url}}
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [app]}}
    threading.Thread(target=made.server.serve_forever, daemon=True).start()
    yield made
    made.server.shutdown()
    made.server.server_close()


def come_back(client: Client, **parameters: str):
    """Go to the provider, and come back from it."""
    away = client.post(LOGIN, parameters)
    state = parse_qs(urlsplit(away["Location"]).query)["state"][0]
    return client.get(CALLBACK, {"code": "code", "state": state})


def logged_in(client: Client) -> str:
    key = client.session.get("_auth_user_id")
    return User.objects.get(pk=key).username if key else ""


def confirmed(user: User, **fields: bool) -> None:
    EmailAddress.objects.create(user=user, email=user.email, **{"primary": True, "verified": True} | fields)


@pytest.mark.parametrize(
    ("case", "claims", "who"),
    [
        ("confirmed on both sides", {}, "ann"),
        ("not confirmed by the provider", {"email_verified": False}, ""),
        ("the provider does not say", {"email_verified": None}, ""),
        ("not confirmed here", {}, ""),
        ("an address that nobody has", {"email": "eva@example.org"}, ""),
        ("inherited: ann has another log-in of this provider", {}, ""),
        ("a closed account", {}, ""),
    ],
)
def test_an_unknown_log_in_opens_an_account_by_an_address_confirmed_on_both_sides_only(
    provider, people, client, case, claims, who
):
    confirmed(people.ann, verified=case != "not confirmed here")
    if "inherited" in case:
        SocialAccount.objects.create(user=people.ann, provider="sso", uid="earlier")
    User.objects.filter(pk=people.ann.pk).update(is_active=case != "a closed account")
    provider.claims = {"sub": "1", "email": people.ann.email, "email_verified": True} | claims
    before = User.objects.count()
    come_back(client)
    assert logged_in(client) == who
    assert User.objects.count() == before
    assert SocialAccount.objects.filter(user=people.ann, uid="1").exists() == bool(who or case == "a closed account")


def test_an_invited_person_joins_with_it_and_the_link_serves_one(provider, collection, people, client):
    link = services.invite(collection=collection, by=people.admin, roles=["annotator"])[1]
    provider.claims = {"sub": "1", "preferred_username": "eva", "name": "Eva Ek"}
    assert come_back(client, next=link)["Location"] == reverse("collection", args=[collection.slug])
    eva = User.objects.get(username="eva")
    assert (logged_in(client), eva.name, eva.has_usable_password()) == ("eva", "Eva Ek", False)
    assert collection.memberships.get(user=eva).roles == ["annotator"]
    provider.claims = {"sub": "2", "preferred_username": "mallory"}
    come_back(Client(), next=link)
    assert not User.objects.filter(username="mallory").exists()


def test_connecting_asks_for_the_password_and_takes_nobody_elses(provider, people, as_):
    provider.claims = {"sub": "1"}
    for person, code in ((people.ann, 1), (people.bob, 0)):
        person.set_password("correct horse")
        person.save()
        client = as_(person.username)
        asked = come_back(client, process="connect")
        assert asked["Location"].startswith(reverse("account_reauthenticate"))
        assert not SocialAccount.objects.filter(user=person).exists()
        client.post(asked["Location"], {"password": "correct horse"})
        assert SocialAccount.objects.filter(user=person).count() == code
    assert Action.objects.get(actor=people.ann, verb="login").object == "single sign-on connected"


def test_a_provider_that_is_away_is_said_to_be(provider, client):
    provider.server.shutdown()
    provider.server.server_close()
    assert "does not answer" in client.post(LOGIN).content.decode()
