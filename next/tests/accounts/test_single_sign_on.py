"""Log-ins by OpenID Connect: whose account they open. The provider here says what it is told."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
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

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    url = f"http://127.0.0.1:{server.server_port}"
    endpoints = {"authorization_endpoint": "/auth", "token_endpoint": "/token", "userinfo_endpoint": "/me"}
    made.configuration = {"issuer": url} | {key: url + path for key, path in endpoints.items()}
    app = {"provider_id": "sso", "name": "Lab", "client_id": "id", "secret": "s", "settings": {"server_url": url}}
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [app]}}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield made
    server.shutdown()
    server.server_close()


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
    claims = {"sub": "1", "preferred_username": "eva", "name": "Eva Ek", "email": "e@example.org"}
    provider.claims = claims | {"email_verified": True}
    assert come_back(client, next=link)["Location"] == reverse("collection", args=[collection.slug])
    eva = User.objects.get(username="eva")
    assert (logged_in(client), eva.name, eva.has_usable_password()) == ("eva", "Eva Ek", False)
    assert collection.memberships.get(user=eva).roles == ["annotator"]
    provider.claims = {"sub": "2", "preferred_username": "mallory"}
    second = Client()
    come_back(second, next=link)
    assert not logged_in(second)
    assert not User.objects.filter(username="mallory").exists()
    client.logout()
    provider.claims = claims
    come_back(client)
    assert logged_in(client) == "eva"


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


def test_a_second_factor_is_asked_for_after_it_too(provider, people, client):
    SocialAccount.objects.create(user=people.ann, provider="sso", uid="1")
    TOTP.activate(people.ann, generate_totp_secret())
    provider.claims = {"sub": "1"}
    assert come_back(client)["Location"] == reverse("mfa_authenticate")
    assert not logged_in(client)


def test_an_answer_counts_once_and_for_who_asked(provider, people, client):
    SocialAccount.objects.create(user=people.ann, provider="sso", uid="1")
    provider.claims = {"sub": "1"}
    state = parse_qs(urlsplit(client.post(LOGIN)["Location"]).query)["state"][0]
    answer = {"code": "code", "state": state}
    other = Client()
    other.get(CALLBACK, answer)
    assert not logged_in(other)
    client.get(CALLBACK, answer)
    assert logged_in(client) == "ann"
    client.logout()
    client.get(CALLBACK, answer)
    assert not logged_in(client)


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "/\\evil.example"])
def test_it_leads_to_no_other_host(provider, people, client, elsewhere):
    SocialAccount.objects.create(user=people.ann, provider="sso", uid="1")
    provider.claims = {"sub": "1"}
    assert come_back(client, next=elsewhere)["Location"] == "/"


def test_the_button_is_there_where_a_provider_is(provider, client, settings):
    assert "Log in with Lab" in client.get(reverse("account_login")).content.decode()
    settings.SOCIALACCOUNT_PROVIDERS = {}
    assert LOGIN not in client.get(reverse("account_login")).content.decode()
    assert client.post(LOGIN).status_code == 404
