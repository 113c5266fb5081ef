"""People log in at their institution by SAML."""

from __future__ import annotations

import base64
import re
from html import unescape

import pytest
from allauth.socialaccount.models import SocialAccount
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.institution.configuration import SAML
from accounts.institution.encryption import KeyPair
from accounts.models import User
from tests.accounts.test_institution import invite, is_logged_in
from tests.support.factories import a_collection
from tests.support.saml_provider import MAIL, MARA, SamlProvider, Signer
from tests.support.visits import text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
ACS = "/accounts/institution/saml/acs/"
OWN, OTHER = Signer(), Signer()


def name_of(changes: dict) -> str:
    """The same in every process, without places in memory and times."""
    return re.sub(r" at 0x[0-9a-f]+|\d{10}", "", str(changes))


def a_browser(**options) -> Client:
    return Client(HTTP_HOST="testserver", **options)


@pytest.fixture
def client():
    return a_browser()


@pytest.fixture
def provider(settings, tmp_path):
    provider = SamlProvider(own=OWN)
    settings.INSTITUTION_LOGINS = {SAML: provider.login(tmp_path)}
    return provider


@once_a_file
def collection():
    return a_collection()


def begin(client, **values) -> str:
    page = client.post(reverse("institution-login", args=[SAML]), values)
    (address,) = re.findall(r'content="0; url=([^"]+)"', page.text)
    return unescape(address)


def come_back(client, response: str, **values):
    """As a browser does it: without the session's cookie, since the form is of another site."""
    browser = a_browser(enforce_csrf_checks=True)
    posted = browser.post(ACS, {"SAMLResponse": response, **values})
    assert posted.url == f"{ACS}finish/"
    client.cookies["saml-acs-session"] = browser.cookies["saml-acs-session"].value
    return client.get(posted.url, follow=True)


def log_in(client, provider, **values):
    return come_back(client, provider.respond(begin(client, **values)))


@pytest.mark.parametrize("signs", ["assertion", "response"])
def test_a_first_login_meets_its_invitation(client, provider, collection, signs):
    invite(collection)
    provider.signs = signs
    client.get(reverse("home"))
    key = client.session.session_key

    page = log_in(client, provider)

    person = User.objects.get(email=MARA[MAIL])
    assert page.request["PATH_INFO"] == f"/c/{collection.slug}/"
    assert (person.username, person.first_name) == ("mara@small", "Mara Lind")
    assert client.session.session_key != key
    assert SocialAccount.objects.get().extra_data == {"email": MARA[MAIL]}
    again = a_browser()  # with another transient NameID
    log_in(again, provider)
    assert again.session["_auth_user_id"] == str(person.pk)


def test_without_an_invitation_or_a_lasting_id_nobody_gets_in(
    client, provider, collection, settings, tmp_path
):
    assert "no open invitation" in log_in(client, provider).text
    link = invite(collection)
    settings.INSTITUTION_LOGINS = {SAML: provider.login(tmp_path, emails_are_verified=False)}
    assert "did not say that it has verified" in log_in(client, provider).text
    provider.person = {MAIL: MARA[MAIL]}
    assert log_in(client, provider, next=link).status_code == 400
    assert not is_logged_in(client)
    assert not SocialAccount.objects.exists()
    settings.INSTITUTION_LOGINS = {
        SAML: provider.login(tmp_path, subject_attribute=MAIL, required_claims=(("unit", "ir"),))
    }
    assert log_in(client, provider, next=link).status_code == 403
    provider.person["unit"] = "ir"
    log_in(client, provider, next=link)
    assert is_logged_in(client)


@pytest.mark.parametrize(
    "lie",
    [
        {"signs": ""},
        {"signer": OTHER},
        {"signs": "response", "signer": OTHER},
        {"changed": ("mara@uni.example", "eve@uni.example")},
        {"signs": "response", "changed": ("248289@uni.example", "1@uni.example")},
        # A comment in a text ends it for some readers.
        {"signs": "", "changed": ("mara@uni.example", "mara@uni.example<!-- -->.evil.example")},
        {"issuer": "https://evil.example/metadata"},
        {"audience": "https://another.example/metadata"},
        {"destination": "https://another.example/acs/"},
        {"minutes": -5},
        {"in_response_to": "_of_another_login"},
        {"in_response_to": ""},  # begun at the provider
    ],
    ids=name_of,
)
def test_a_forged_response_lets_nobody_in(client, provider, collection, lie):
    invite(collection)
    for name, value in lie.items():
        setattr(provider, name, value)

    page = log_in(client, provider)

    assert page.status_code == 400
    assert "Not logged in" in page.text
    assert not is_logged_in(client)
    assert not SocialAccount.objects.exists()


@pytest.fixture
def encrypted(provider, settings, tmp_path):
    """The server has a key, and the provider encrypts for it."""
    pair = KeyPair(OTHER.private_key, OTHER.certificate)
    settings.INSTITUTION_LOGINS = {SAML: provider.login(tmp_path, encryption=pair)}
    provider.encrypts_for = OTHER.certificate
    return provider


@pytest.mark.parametrize("signs", ["assertion", "response"])
def test_an_encrypted_assertion_is_read(client, encrypted, collection, signs):
    invite(collection)
    encrypted.signs = signs
    metadata = client.get(reverse("saml_metadata", args=[SAML])).text
    assert '<md:KeyDescriptor use="encryption">' in metadata
    assert OTHER.private_key.splitlines()[1] not in metadata

    response = encrypted.respond(begin(client))
    assert b"mara@uni.example" not in base64.b64decode(response)
    come_back(client, response)

    assert client.session["_auth_user_id"] == str(User.objects.get(email=MARA[MAIL]).pk)


@pytest.mark.parametrize(
    "lie",
    [
        {"encrypts_for": ""},  # though the metadata ask for it
        {"encrypts_for": OWN.certificate},
        {"signs": ""},
        {"signer": OTHER},
        {"changed": ("mara@uni.example", "eve@uni.example")},
        {"audience": "https://another.example/metadata"},
        {"minutes": -5},
    ],
    ids=lambda lie: " ".join(lie),
)
def test_encryption_is_no_signature(client, encrypted, collection, lie):
    """Anyone can encrypt for the server: its certificate is public."""
    invite(collection)
    for name, value in lie.items():
        setattr(encrypted, name, value)

    assert log_in(client, encrypted).status_code == 400
    assert not is_logged_in(client)
    assert not SocialAccount.objects.exists()


def test_without_a_key_an_encrypted_assertion_gets_a_page(client, provider, collection):
    invite(collection)
    provider.encrypts_for = OTHER.certificate

    assert "Not logged in" in log_in(client, provider).text


def test_strangers_fill_neither_the_sessions_nor_the_providers_time(client, provider, settings):
    too_long = client.post(ACS, {"SAMLResponse": "A" * 300_000})
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "institution": "3/m/ip"}
    cache.clear()
    sessions = Session.objects.count()

    posts = [client.post(ACS, {"SAMLResponse": "x"}).status_code for _ in range(4)]
    others = (client.get(f"{ACS}finish/"), client.post(reverse("institution-login", args=[SAML])))
    elsewhere = client.post(ACS, {"SAMLResponse": "x"}, REMOTE_ADDR="203.0.113.5")

    assert (too_long.status_code, posts) == (413, [302, 302, 302, 429])
    assert [answer.status_code for answer in others] == [429, 429]
    assert "Too many tries" in others[0].text
    assert elsewhere.status_code == 302
    assert Session.objects.count() <= sessions + 4


def test_a_signature_on_another_assertion_counts_for_that_one_only(client, provider, collection):
    """Signature wrapping: a forged assertion beside the signed one."""
    invite(collection)
    signed = base64.b64decode(provider.respond(begin(client))).decode()
    (assertion,) = re.findall(r"<saml:Assertion.*</saml:Assertion>", signed, re.DOTALL)
    without_signature = re.sub(r"<ds:Signature.*</ds:Signature>", "", assertion, flags=re.DOTALL)
    forged = without_signature.replace("248289@uni", "1@uni").replace('ID="_', 'ID="_f', 1)
    for both in (forged + assertion, assertion + forged):
        response = base64.b64encode(signed.replace(assertion, both).encode()).decode()
        assert come_back(client, response).status_code == 400
    assert not SocialAccount.objects.exists()


def test_a_response_works_once_and_in_its_browser(client, provider, collection):
    invite(collection)
    response = provider.respond(begin(client))
    assert come_back(a_browser(), response).status_code == 400
    come_back(client, response, RelayState="https://evil.example/")
    assert is_logged_in(client)
    client.post(reverse("logout"))
    assert come_back(client, response).status_code == 400
    assert not is_logged_in(client)
    for rubbish in (
        "",
        "%%%",
        base64.b64encode(b"<a>").decode(),
        base64.b64encode(b"\xff").decode(),
    ):
        assert come_back(client, rubbish).status_code == 400
    assert client.get(f"{ACS}finish/").status_code == 400


def test_the_metadata_name_what_the_provider_needs(client, provider, settings):
    page = client.get(reverse("saml_metadata", args=[SAML]))
    assert page["Content-Type"] == "text/xml"
    assert f'Location="http://testserver{ACS}"' in page.text
    assert 'entityID="http://testserver/accounts/institution/saml/metadata/"' in page.text
    assert "SingleLogoutService" not in page.text
    assert client.get("/accounts/institution/saml/logout/").status_code == 404


def test_metadata_that_cannot_be_read_get_a_page(client, provider, settings, tmp_path):
    login = provider.login(tmp_path)
    for content, status in (("no xml", 400), ("<a/>", 400), (None, 503)):
        cache.clear()
        metadata = tmp_path / "metadata.xml"
        metadata.write_text(content) if content else metadata.unlink()
        page = client.post(reverse("institution-login", args=[login.key]))
        assert page.status_code == status, text_of(page)
