"""Attacks on accounts that no other test tries. docs/attacks.md lists all with their tests."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import partial

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP
from django.core import mail
from django.core.cache import cache
from django.middleware.csrf import CsrfViewMiddleware
from django.test import Client, RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from accounts.invitations.addresses import Invitee
from accounts.invitations.models import Invitation
from accounts.invitations.services import invite
from accounts.models import Role, User
from accounts.password_links import password_link
from accounts.tokens.scopes import TokenScope
from accounts.tokens.services import create_token
from tests.accounts.test_second_factors import SECRET, code_now
from tests.support.factories import PASSWORD, UserFactory, a_collection
from tests.support.observed_requests import HASHED, PASSWORD_HASHERS, observe
from tests.support.running import wait_until

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
EVIL = ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)"]
RESET, FROM_KEY = "account_reset_password", "account_reset_password_from_key"
NEW = "another horse battery"


@pytest.fixture(autouse=True)
def _empty_counts():
    cache.clear()


def with_email(person: User, email: str) -> User:
    EmailAddress.objects.create(user=person, email=email, verified=True, primary=True)
    return person


class TestOneLooksLikeTheOther:
    """An account that exists and one that does not: the same answer, statements and hash work."""

    @pytest.mark.parametrize(
        "names",
        [
            ("person", "closed", "nopass", "nobody"),
            ("a@x.org", "b@x.org", "c@x.org", "d@x.org"),
        ],
    )
    def test_a_wrong_password(self, names, settings):
        settings.PASSWORD_HASHERS = PASSWORD_HASHERS
        settings.LOGIN_TRIES_PER_ADDRESS = 100
        person = with_email(UserFactory(username="person"), "a@x.org")
        TOTP.activate(person, SECRET)
        with_email(UserFactory(username="closed", is_active=False), "b@x.org")
        without = with_email(UserFactory(username="nopass"), "c@x.org")
        User.objects.exclude(pk=without.pk).update(password=HASHED)
        without.set_unusable_password()
        without.save()

        seen = [observe(lambda name=name: log_in(name, "wrong"), name) for name in names]

        assert [each for each in seen if each != seen[0]] == []
        assert (seen[0].status, seen[0].hashes) == (200, 1)

    @pytest.mark.django_db(transaction=True)  # the mail is made by another thread
    def test_a_request_for_a_link_to_a_new_password(self, settings):
        settings.PASSWORD_HASHERS = PASSWORD_HASHERS
        with_email(UserFactory(username="person"), "a@x.org")
        EmailAddress.objects.create(user=UserFactory(), email="b@x.org")

        seen = [
            observe(lambda email=email: Client().post(reverse(RESET), {"email": email}), email)
            for email in ("a@x.org", "b@x.org", "c@x.org")
        ]

        assert [each for each in seen if each != seen[0]] == []
        assert (seen[0].status, seen[0].hashes, seen[0].statements) == (302, 0, [])
        wait_until(lambda: mail.outbox, 30, "the mail came")
        assert [message.to for message in mail.outbox] == [["a@x.org"]]

    @pytest.mark.parametrize("method", ["get", "post"])
    def test_an_invented_link_to_a_new_password(self, method, settings):
        settings.PASSWORD_HASHERS = PASSWORD_HASHERS
        collection = a_collection()
        person, other = User.objects.get(username="ann1"), User.objects.get(username="ann2")
        made_by = collection.memberships.get(role=Role.ADMIN).user
        *_, token, _ = password_link(asked_by=made_by, person=other).split("/")
        of_admins = [(person.pk, made_by.pk), (99_999, made_by.pk)]
        of_mails = [_base36(person.pk), _base36(99_999)]
        form = {"password1": NEW, "password2": NEW, "new_password1": NEW, "new_password2": NEW}

        for addresses in (
            [reverse("new-password", args=[*ids, token]) for ids in of_admins],
            [reverse(FROM_KEY, args=[uid, "abcdef-0123456789abcdef"]) for uid in of_mails],
        ):
            seen = [
                observe(lambda path=path: getattr(Client(), method)(path, form), path)
                for path in addresses
            ]
            assert seen[0] == seen[1]
            assert "This link does not work" in seen[0].body
            assert seen[0].hashes == 0

    @pytest.mark.parametrize("who", ["a stranger", "a person"])
    @pytest.mark.parametrize("method", ["get", "post"])
    def test_an_invitation_that_ended_and_one_that_never_was(self, who, method):
        collection = a_collection()
        person = UserFactory(username="known")
        now = timezone.now()
        ends = {
            "used": {"accepted_by": person, "accepted_at": now},
            "revoked": {"revoked_at": now},
            "expired": {"expires_at": now - timedelta(days=1)},
        }
        links = [link_of(collection, f"{name}@x.org") for name in ends]
        for name, end in ends.items():
            Invitation.objects.filter(email=f"{name}@x.org").update(**end)
        links.append(reverse("invitation", args=["A" * 43]))

        def send(link):
            client = Client()
            if who == "a person":
                client.force_login(person)
            return observe(lambda: getattr(client, method)(link), link)

        seen = [send(link) for link in links]

        assert [each for each in seen if each != seen[0]] == []
        assert seen[0].status == 404

    def test_an_email_that_another_account_has_confirmed(self, client):
        with_email(UserFactory(), "taken@x.org")
        person = UserFactory(username="person")
        seen = []
        for email in ("taken@x.org", "other@x.org"):
            client.force_login(person)
            client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
            form = {"email": email, "action_add": ""}
            seen.append(observe(partial(client.post, reverse("account_email"), form), email))
            page = client.get(reverse("account_email")).text
            seen[-1] = seen[-1]._replace(body=_without_values(page, email))
            EmailAddress.objects.filter(user=person).delete()
            cache.clear()

        assert seen[0][:3] == seen[1][:3]

    def test_a_token_like_one_that_exists(self):
        token = create_token(person=UserFactory(), name="Program", scope=TokenScope.READ, days=None)
        seen = [
            observe(lambda text=text: use(text)) for text in (f"{token[:-1]}_", "x" * len(token))
        ]

        assert seen[0] == seen[1]
        assert seen[0].status == 401


def _without_values(page: str, email: str) -> str:
    return re.sub(r'value="[^"]*"|id="[^"]*"|for="[^"]*"', "", page.replace(email, "…"))


def _base36(number: int) -> str:
    from allauth.account.utils import user_pk_to_url_str

    return user_pk_to_url_str(User(pk=number))


def use(token: str):
    return Client().get("/api/v1/collections/", headers={"Authorization": f"Token {token}"})


def link_of(collection, email: str) -> str:
    invite(
        collection=collection,
        invitees=[Invitee(email)],
        role=Role.CURATOR,
        invited_by=None,
        base_url="http://x",
    )
    (link,) = re.findall(r"http://x(/\S+)", mail.outbox[-1].body)
    return link


def log_in(username: str, password: str = PASSWORD, client: Client | None = None, **more: str):
    form = {"login": username, "password": password, **more}
    return (client or Client()).post(reverse("login"), form)


class TestSessionFixation:
    """A key that a stranger put into the browser is worth nothing after the login."""

    def planted(self) -> tuple[Client, str]:
        client = Client()
        session = client.session
        session["planted"] = "by a stranger"
        session.save()
        client.cookies["sessionid"] = session.session_key
        return client, session.session_key

    def assert_worthless(self, client: Client, key: str) -> None:
        assert client.get(reverse("account")).status_code == 200
        assert client.session.session_key != key
        stranger = Client(headers={"cookie": f"sessionid={key}"})
        assert stranger.get(reverse("account")).status_code == 302

    def test_after_a_second_factor(self):
        TOTP.activate(UserFactory(username="person"), SECRET)
        client, key = self.planted()
        log_in("person", client=client)
        between = client.session.session_key
        client.post(reverse("mfa_authenticate"), {"code": code_now()})

        self.assert_worthless(client, key)
        assert client.session.session_key != between

    def test_after_an_invitation(self):
        link = link_of(a_collection(), "mara@x.org")
        client, key = self.planted()
        form = {"username": "mara", "name": "", "password": NEW, "password_again": NEW}
        client.post(link, form)

        self.assert_worthless(client, key)

    def test_after_a_changed_password(self):
        UserFactory(username="person")
        client = Client()
        log_in("person", client=client)
        key = client.session.session_key
        form = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
        client.post(reverse("account_change_password"), form)

        self.assert_worthless(client, key)


class TestOpenRedirect:
    @pytest.mark.parametrize("target", EVIL)
    def test_no_page_of_an_account_leads_to_another_host(self, target):
        TOTP.activate(UserFactory(username="person"), SECRET)
        UserFactory(username="simple")
        client = Client()
        with_factor = log_in("person", client=client, next=target)
        code = client.post(reverse("mfa_authenticate"), {"code": code_now(), "next": target})
        answers = [
            log_in("simple", next=target),
            with_factor,
            code,
            client.get(reverse("login"), {"next": target}),  # is logged in
            client.post(reverse("account_reauthenticate"), {"password": PASSWORD, "next": target}),
            client.get(reverse("institution-confirm"), {"next": target}),
            client.post(reverse("logout"), {"next": target}),
        ]

        for answer in answers:
            assert answer.status_code in (200, 302)
            where = answer.get("Location", "/")
            assert where.startswith("/") and where[1:2] not in ("/", "\\")  # noqa: PT018
            assert "evil" not in where
            assert f'href="{target}"' not in answer.text


def _views(resolver: URLResolver, prefix: str = ""):
    for pattern in resolver.url_patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield path, pattern
        else:
            yield from _views(pattern, path)


def test_every_form_needs_its_csrf_token_but_two_that_other_sites_send():
    """The API asks for it when there is a session: tests/api/test_authentication.py."""
    open_forms = set()
    for path, pattern in _views(get_resolver()):
        request = RequestFactory().post("/")
        middleware = CsrfViewMiddleware(lambda request: None)
        middleware.process_request(request)
        if middleware.process_view(request, pattern.callback, (), {}) is None:
            open_forms.add("API" if path.startswith("api/") else pattern.name)

    assert open_forms == {"API", "saml_acs", "stop-notices"}


@pytest.mark.django_db(transaction=True)
def test_a_stranger_who_uses_up_the_links_to_new_passwords_keeps_no_person_out():
    """The mails that were sent are in the mailbox of the person, and each link works."""
    person = with_email(UserFactory(username="person"), "a@x.org")
    asked = [
        Client().post(reverse(RESET), {"email": "a@x.org"}, REMOTE_ADDR=f"203.0.113.{number}")
        for number in range(6)
    ]
    assert [answer.status_code for answer in asked] == [302] * 5 + [429]
    wait_until(lambda: len(mail.outbox) == 5, 30, "the mails came")
    (link,) = re.findall(r"http://testserver(/\S+)", mail.outbox[0].body)
    browser = Client()
    form = browser.get(link, follow=True).request["PATH_INFO"]

    browser.post(form, {"password1": NEW, "password2": NEW})

    person.refresh_from_db()
    assert person.check_password(NEW)
