"""People log in at their institution by OpenID Connect: who gets in, and who does not."""

from __future__ import annotations

import re
import time
from html import unescape

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.actions.kinds import ActionKind
from accounts.actions.models import RecordedAction
from accounts.institution.claims import Identity, NotAllowed, check_allowed, plain_email
from accounts.institution.configuration import OIDC
from accounts.invitations.addresses import Invitee
from accounts.invitations.services import store_invitation
from accounts.login import forms
from accounts.models import Role, User
from tests.support.factories import UserFactory, a_collection
from tests.support.oidc_provider import MARA, SECRET, OidcProvider, a_key
from tests.support.visits import text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
BUTTON = "Log in with Uni Example"
OTHER_KEY = a_key()


def name_of(changes: dict) -> str:
    """The same in every process, without places in memory and times."""
    return re.sub(r" at 0x[0-9a-f]+|\d{10}", "", str(changes))


@pytest.fixture
def provider(settings):
    provider = OidcProvider()
    settings.INSTITUTION_LOGINS = {OIDC: provider.login()}
    yield provider
    provider.stop()


@once_a_file
def collection():
    return a_collection()


def invite(collection, email=MARA["email"], role=Role.ANNOTATOR) -> str:
    """The path of the invitation's link."""
    by = User.objects.get(username="admin")
    letter = store_invitation(collection, Invitee(email), role, by)
    return reverse("invitation", args=[letter.token])


def begin(client, **values):
    """Press the button. Returns the provider's address."""
    page = client.post(reverse("institution-login", args=[OIDC]), values)
    assert page.status_code == 200, page.text
    (address,) = re.findall(r'content="0; url=([^"]+)"', page.text)
    return unescape(address)


def log_in(client, provider, **values):
    back = provider.authorize(begin(client, **values))
    return client.get(back.removeprefix("http://testserver"), follow=True)


def is_logged_in(client) -> bool:
    return "_auth_user_id" in client.session


def test_without_the_variables_there_is_no_button_and_no_address(client):
    assert "Log in with" not in client.get(reverse("login")).text.replace("with a passkey", "")
    for name in ("institution-login", "openid_connect_callback", "saml_acs", "saml_metadata"):
        assert client.post(reverse(name, args=[OIDC])).status_code == 404


class TestFirstLogin:
    def test_it_meets_the_invitation_to_the_verified_email(self, client, provider, collection):
        invite(collection)
        second = a_collection("second")
        invite(second, role=Role.CURATOR)
        assert BUTTON in client.get(reverse("login")).text
        client.get(reverse("home"))
        client.session["before"] = "a stranger's"
        client.session.save()
        key = client.session.session_key

        page = log_in(client, provider)

        person = User.objects.get(email=MARA["email"])
        assert page.request["PATH_INFO"] == f"/c/{collection.slug}/"
        assert "You are an annotator of" in page.text
        assert (person.username, person.first_name) == ("mara@small", "Mara Lind")
        assert not person.has_usable_password()
        assert sorted(person.memberships.values_list("role", flat=True)) == ["annotator", "curator"]
        assert EmailAddress.objects.get(user=person).verified
        assert client.session.session_key != key
        link = SocialAccount.objects.get()
        assert (link.user, link.extra_data) == (person, {"email": MARA["email"]})
        kinds = RecordedAction.objects.filter(person=person).values_list("kind", flat=True)
        assert {ActionKind.IDENTITY_LINKED, ActionKind.LOGGED_IN} <= set(kinds)

        again = Client()
        log_in(again, provider)
        assert again.session["_auth_user_id"] == str(person.pk)
        assert User.objects.filter(email=MARA["email"]).count() == 1
        account = text_of(again.get(reverse("account")))
        assert "<dt>Uni Example</dt> <dd>mara@uni.example</dd>" in account
        assert "Change the password" not in account
        moved = again.get(reverse("account_change_password"), follow=True)
        assert "has no password" in moved.text

    @pytest.mark.parametrize(
        "person",
        [
            {"sub": "7", "name": "No Email"},
            {**MARA, "email_verified": False},
            {**MARA, "email_verified": None},
            {**MARA, "email": "mara.lind@other.example"},
        ],
    )
    def test_the_link_lets_in_whatever_the_email(self, client, provider, collection, person):
        link = invite(collection)
        provider.person = person
        assert BUTTON in client.get(link).text

        log_in(client, provider, next=link)

        person = User.objects.get(email=MARA["email"])
        assert client.session["_auth_user_id"] == str(person.pk)
        assert client.get(link).status_code == 404

    @pytest.mark.parametrize(
        ("person", "reason"),
        [
            ({**MARA, "email": "eve@uni.example"}, "no open invitation to eve@uni.example"),
            ({**MARA, "email_verified": False}, "did not say that it has verified"),
            ({**MARA, "email_verified": None}, "did not say that it has verified"),
            ({**MARA, "email_verified": "yes"}, "did not say that it has verified"),
            ({**MARA, "email": None}, "told no email"),
            ({**MARA, "email": "mara@uni.example\n"}, None),
            ({**MARA, "email": '"mara@uni.example"@evil.example'}, "told no email"),
        ],
    )
    def test_without_an_invitation_nobody_gets_in(
        self, client, provider, collection, person, reason
    ):
        invite(collection)
        provider.person = person
        people = User.objects.count()

        page = log_in(client, provider)

        if reason is None:  # white space around an email does not make it another one
            assert is_logged_in(client)
            return
        assert page.status_code == 403
        assert reason in text_of(page)
        assert not is_logged_in(client)
        assert (User.objects.count(), SocialAccount.objects.count()) == (people, 0)
        assert collection.invitations.get().accepted_at is None

    def test_a_link_that_is_used_expired_or_invented_lets_nobody_in(
        self, client, provider, collection
    ):
        link = invite(collection, "other@uni.example")
        collection.invitations.update(revoked_at="2026-01-01T00:00Z")
        for path in (link, "/invitations/invented/"):
            assert "does not work" in log_in(client, provider, next=path).text
            assert not is_logged_in(client)
        assert not SocialAccount.objects.exists()

    def test_a_username_that_is_taken_gets_a_number(self, client, provider, collection):
        UserFactory(username="mara@small")
        invite(collection)
        log_in(client, provider)
        assert User.objects.get(email=MARA["email"]).username == "mara2@small"


class TestExistingAccount:
    @pytest.fixture
    def mara(self):
        person = UserFactory(username="mara", email=MARA["email"])
        person.set_password("another horse battery")
        person.save()
        EmailAddress.objects.create(user=person, email=MARA["email"], verified=True, primary=True)
        return person

    def test_it_is_not_linked_by_its_email_unless_the_server_says_so(
        self, client, provider, mara, settings, collection
    ):
        link = invite(collection, "another@uni.example")
        page = log_in(client, provider, next=link)
        assert page.status_code == 409
        assert "press Link Uni Example on the account page" in text_of(page)
        assert not is_logged_in(client)

        settings.INSTITUTION_LOGINS = {OIDC: provider.login(links_by_email=True)}
        for lie in ({"email_verified": False}, {"email_verified": None}):
            provider.person = {**MARA, **lie}
            assert log_in(client, provider).status_code == 403
        assert not SocialAccount.objects.exists()
        provider.person = MARA
        log_in(client, provider)
        assert client.session["_auth_user_id"] == str(mara.pk)
        assert SocialAccount.objects.get().user == mara
        # The university gave the email to another person.
        provider.person = {**MARA, "sub": "another person"}
        other = Client()
        assert log_in(other, provider).status_code == 409
        assert not is_logged_in(other)

    @pytest.mark.parametrize("change", [{"is_staff": True}, {"is_active": False}])
    def test_staff_and_ended_accounts_are_never_linked_by_email(
        self, client, provider, mara, settings, change
    ):
        settings.INSTITUTION_LOGINS = {OIDC: provider.login(links_by_email=True)}
        User.objects.filter(pk=mara.pk).update(**change)
        assert log_in(client, provider).status_code == 409
        assert not is_logged_in(client)

    def test_it_is_linked_on_the_account_page_after_the_password(self, client, provider, mara):
        login = {"login": "mara", "password": "another horse battery"}
        client.post(reverse("login"), login)
        provider.person = {**MARA, "email": "elsewhere@uni.example"}
        address = reverse("institution-login", args=[OIDC])
        asked = client.post(address, {"process": "connect"})
        assert asked.url.startswith(reverse("account_reauthenticate"))
        page = client.post(asked.url, {"password": login["password"]})
        (to_provider,) = re.findall(r'content="0; url=([^"]+)"', page.text)
        back = provider.authorize(unescape(to_provider))
        done = client.get(back.removeprefix("http://testserver"), follow=True)
        assert "Linked. You can log in with Uni Example" in done.text
        link = SocialAccount.objects.get(user=mara)

        other = Client()
        log_in(other, provider)
        assert other.session["_auth_user_id"] == str(mara.pk)
        stranger = Client()
        stranger.force_login(UserFactory())
        assert stranger.post(reverse("unlink-institution", args=[link.pk])).status_code == 404
        client.post(reverse("unlink-institution", args=[link.pk]))
        assert not SocialAccount.objects.exists()

    def test_an_account_of_the_institution_alone_gets_no_link_to_a_password(
        self, client, provider, collection, mara, monkeypatch
    ):
        """Else a person who left the institution would still get in."""
        monkeypatch.setattr(forms, "soon", lambda send: send())
        provider.person = {**MARA, "email": "new@uni.example"}
        invite(collection, "new@uni.example")
        log_in(client, provider)
        for email in ("new@uni.example", MARA["email"]):
            Client().post(reverse("account_reset_password"), {"email": email})
        assert [message.to for message in mail.outbox] == [[MARA["email"]]]

    def test_the_only_way_in_is_not_removed(self, client, provider, collection):
        invite(collection)
        log_in(client, provider)
        link = SocialAccount.objects.get()
        page = client.post(reverse("unlink-institution", args=[link.pk]), follow=True)
        assert "only way into your account" in text_of(page)
        assert SocialAccount.objects.exists()

    def test_an_ended_account_does_not_log_in(self, client, provider, collection):
        invite(collection)
        log_in(Client(), provider)
        User.objects.filter(email=MARA["email"]).update(is_active=False)
        assert "cannot log in" in log_in(client, provider).text
        assert not is_logged_in(client)


class TestSecondFactor:
    def test_it_is_asked_after_the_institutions_login(self, client, provider, collection):
        invite(collection)
        log_in(client, provider)
        person = User.objects.get(email=MARA["email"])
        Authenticator.objects.create(user=person, type="totp", data={"secret": "x"})
        other = Client()
        page = log_in(other, provider)
        assert page.request["PATH_INFO"] == reverse("mfa_authenticate")
        assert not is_logged_in(other)

    def test_a_required_one_is_set_up_without_a_password(
        self, client, provider, collection, settings
    ):
        settings.SECOND_FACTOR_REQUIRED = True
        invite(collection)
        page = log_in(client, provider)
        assert page.request["PATH_INFO"] == reverse("mfa_index")
        assert client.get(reverse("mfa_activate_totp")).status_code == 200
        # Later, the person shows again who he or she is: with another login there.
        session = client.session
        for record in session["account_authentication_methods"]:
            record["at"] -= 3600
        session.save()
        asked = client.get(reverse("mfa_activate_totp"), follow=True)
        assert asked.request["PATH_INFO"] == reverse("institution-confirm")
        assert BUTTON in asked.text
        again = log_in(client, provider, next=reverse("mfa_activate_totp"))
        assert again.request["PATH_INFO"] == reverse("mfa_activate_totp")
        assert again.status_code == 200


class TestRequirements:
    def login(self, settings, provider, **changes):
        settings.INSTITUTION_LOGINS = {OIDC: provider.login(**changes)}

    def test_a_claim_is_required_at_each_login(self, client, provider, collection, settings):
        self.login(settings, provider, required_claims=(("groups", "judges"), ("active", "true")))
        invite(collection)
        for claims in ({}, {"groups": "judges-not", "active": True}, {"groups": ["judges"]}):
            provider.person = {**MARA, **claims}
            assert "that this server accepts" in log_in(client, provider).text.replace("&quot;", "")
        assert not is_logged_in(client)
        provider.person = {**MARA, "groups": ["staff", "judges"], "active": True}
        log_in(client, provider)
        assert is_logged_in(client)
        provider.person = MARA  # who has left
        other = Client()
        assert log_in(other, provider).status_code == 403
        assert not is_logged_in(other)

    @pytest.mark.parametrize(
        ("email", "verified", "allowed"),
        [
            ("mara@uni.example", True, True),
            ("mara@uni.example", False, False),
            ("mara@uni.example.evil.example", True, False),
            ("mara@evil-uni.example", True, False),
            ("mara@cs.uni.example", True, False),
            ("uni.example@evil.example", True, False),
            ("mara@evil.example@uni.example", True, False),
            ("mara@evil.example\x00@uni.example", True, False),
            ("mara@uni.examp\u0142e", True, False),
            ("", True, False),
        ],
    )
    def test_a_domain_is_compared_as_a_whole(self, email, verified, allowed):
        plain = plain_email(email)
        identity = Identity("key", plain, is_email_verified=bool(plain) and verified)
        if allowed:
            check_allowed(identity, required_claims=(), email_domains=("uni.example",))
        else:
            with pytest.raises(NotAllowed, match=r"verified email of uni\.example"):
                check_allowed(identity, required_claims=(), email_domains=("uni.example",))

    def test_a_provider_that_says_nothing_about_emails_can_be_trusted(
        self, client, provider, collection, settings
    ):
        self.login(settings, provider, emails_are_verified=True, email_domains=("uni.example",))
        invite(collection)
        provider.person = {**MARA, "email_verified": False}
        assert log_in(client, provider).status_code == 403
        provider.person = {**MARA, "email_verified": None}
        log_in(client, provider)
        assert is_logged_in(client)


class TestForgeries:
    @pytest.mark.parametrize(
        "lie",
        [
            {"signing_key": OTHER_KEY},
            {"algorithm": "none"},
            {"algorithm": "HS256", "signing_key": SECRET},
            {"token_claims": {"iss": "https://evil.example"}},
            {"token_claims": {"aud": "another client"}},
            {"token_claims": {"aud": ["qrelsmith", "another"], "azp": "another"}},
            {"token_claims": {"aud": ["qrelsmith", "another"]}},
            {"token_claims": {"exp": int(time.time()) - 3600}},
            {"token_claims": {"exp": None}},
            {"token_claims": {"iat": int(time.time()) + 3600}},
            {"token_claims": {"sub": "another person"}},
            {"token_claims": {"nonce": "of another login"}},
            {"token_claims": {"nonce": None}},
            {"userinfo": {"sub": "another person"}},
            {"discovery": {"issuer": "https://evil.example"}},
            {"discovery": {"jwks_uri": ""}},
            {"error": "access_denied"},
            {"error": "server_error"},
            {"refuses_tokens": True},
        ],
        ids=name_of,
    )
    def test_nobody_gets_in(self, client, provider, collection, lie):
        invite(collection)
        for name, value in lie.items():
            setattr(provider, name, value)

        if "discovery" in lie:
            page = client.post(reverse("institution-login", args=[OIDC]))
        else:
            page = log_in(client, provider)

        assert page.status_code in (400, 403)
        assert "Not logged in" in page.text
        assert not is_logged_in(client)
        assert not SocialAccount.objects.exists()

    def test_an_answer_works_once_and_in_its_browser(self, client, provider, collection):
        invite(collection)
        back = provider.authorize(begin(client)).removeprefix("http://testserver")
        assert Client().get(back).status_code == 400
        assert client.get(back).status_code == 302
        client.post(reverse("logout"))
        assert client.get(back).status_code == 400
        assert not is_logged_in(client)
        assert client.get(reverse("openid_connect_callback", args=[OIDC])).status_code == 400

    def test_the_code_of_another_login_is_refused(self, client, provider, collection):
        """Someone puts the code of an own login into the address that another browser opens."""
        invite(collection)
        mine = provider.authorize(begin(client))
        strangers = provider.authorize(begin(Client()))
        code = re.search(r"code=([^&]+)", strangers)[1]
        page = client.get(re.sub(r"code=[^&]+", f"code={code}", mine)[len("http://testserver") :])
        assert page.status_code == 400
        assert not is_logged_in(client)

    def test_no_login_leads_to_another_host(self, provider, collection):
        invite(collection)
        log_in(Client(), provider)
        for next_page in (
            "https://evil.example/",
            "//evil.example/",
            "javascript:alert(1)",
            "/\\evil",
        ):
            page = log_in(Client(), provider, next=next_page)
            assert page.request["PATH_INFO"] == f"/c/{collection.slug}/", next_page
            assert all("evil" not in url for url, _ in page.redirect_chain), next_page

    def test_a_login_begins_with_a_form_of_this_server(self, provider):
        strict = Client(enforce_csrf_checks=True)
        assert strict.post(reverse("institution-login", args=[OIDC])).status_code == 403
        assert strict.get(reverse("institution-login", args=[OIDC])).status_code == 405


def test_a_provider_that_does_not_answer_gets_a_page(client, provider):
    back = provider.authorize(begin(client)).removeprefix("http://testserver")
    provider.stop()
    assert "Uni Example does not answer" in client.get(back).text
    cache.clear()  # it has the discovery document
    page = client.post(reverse("institution-login", args=[OIDC]))
    assert (page.status_code, "Your account and your work are safe" in text_of(page)) == (503, True)
