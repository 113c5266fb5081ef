"""The variables of the institution's logins, and what the checks say about them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured

from accounts import checks
from accounts.institution.configuration import OIDC, SAML, InstitutionLogin, read_logins
from server.checks import network
from tests.support.oidc_provider import OidcProvider
from tests.support.running import ROOT
from tests.support.saml_provider import SamlProvider, Signer

OIDC_VARIABLES = {
    "OIDC_DISCOVERY_URL": "https://login.example.org/realms/staff/",
    "OIDC_CLIENT_ID": "qrelsmith",
    "OIDC_CLIENT_SECRET": "hidden value",
}


def test_the_variables_are_read():
    assert read_logins({"PATH": "/bin"}) == {}
    logins = read_logins(
        {
            **OIDC_VARIABLES,
            "OIDC_NAME": "Uni",
            "OIDC_REQUIRED_CLAIMS": "groups=a,b; groups = c;;",
            "OIDC_EMAIL_DOMAINS": "Example.org, cs.example.org",
            "OIDC_EMAILS_ARE_VERIFIED": "1",
            "SAML_METADATA": "/etc/idp.xml",
        }
    )
    assert logins[OIDC] == InstitutionLogin(
        key=OIDC,
        name="Uni",
        source="https://login.example.org/realms/staff/.well-known/openid-configuration",
        client_id="qrelsmith",
        client_secret="hidden value",
        required_claims=(("groups", "a,b"), ("groups", "c")),
        email_domains=("example.org", "cs.example.org"),
        emails_are_verified=True,
    )
    assert (logins[SAML].source, logins[SAML].name) == ("file:///etc/idp.xml", "your institution")


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"OIDC_CLIENT_ID": "x"}, "OIDC_CLIENT_ID is set, but OIDC_DISCOVERY_URL is missing"),
        ({"SAML_NAME": "x"}, "SAML_NAME is set, but SAML_METADATA is missing"),
        ({**OIDC_VARIABLES, "OIDC_CLIENT_SECRET": ""}, "OIDC_CLIENT_SECRET is missing. Register"),
        ({**OIDC_VARIABLES, "OIDC_DISCOVERY_URL": "http://a.example"}, "must begin with https://"),
        ({"SAML_METADATA": "http://a.example/idp"}, "must begin with https://"),
        ({"SAML_METADATA": "idp.xml"}, "must begin with https://"),
        ({**OIDC_VARIABLES, "OIDC_REQUIRED_CLAIMS": "groups"}, '"groups" is no claim with a value'),
        ({**OIDC_VARIABLES, "OIDC_EMAIL_DOMAINS": "*.example.org"}, "is no domain. Write example"),
        ({**OIDC_VARIABLES, "OIDC_EMAIL_DOMAIN": "a.example"}, "OIDC_EMAIL_DOMAIN is unknown."),
        ({**OIDC_VARIABLES, "OIDC_LINK_BY_EMAIL": "yes"}, "OIDC_LINK_BY_EMAIL must be 1 or 0"),
    ],
)
def test_a_wrong_variable_is_named_with_what_to_do(variables, message):
    with pytest.raises(ImproperlyConfigured, match=message) as refusal:
        read_logins(variables)
    assert "hidden" not in str(refusal.value)


def test_the_key_for_encrypted_assertions_is_read_from_two_files(tmp_path):
    own, other = Signer(), Signer()
    paths = {name: tmp_path / name for name in ("key", "certificate", "other", "text")}
    for name, text in zip(
        paths, (own.private_key, own.certificate, other.certificate, "no key"), strict=True
    ):
        paths[name].write_text(text)
    metadata = {"SAML_METADATA": "/etc/idp.xml"}

    def login(**variables: object) -> InstitutionLogin:
        named = {f"SAML_ENCRYPTION_{name}": str(path) for name, path in variables.items()}
        return read_logins({**metadata, **named})[SAML]

    pair = login(KEY=paths["key"], CERTIFICATE=paths["certificate"])
    assert pair.encryption == (own.private_key, own.certificate)
    assert own.private_key[40:60] not in repr(pair)
    assert login().encryption == ("", "")
    for variables, message in (
        ({"KEY": paths["key"]}, "SAML_ENCRYPTION_CERTIFICATE is missing"),
        ({"CERTIFICATE": paths["certificate"]}, "SAML_ENCRYPTION_KEY is missing"),
        ({"KEY": paths["key"], "CERTIFICATE": paths["other"]}, "is of another key"),
        ({"KEY": paths["text"], "CERTIFICATE": paths["certificate"]}, "is no PEM file"),
        ({"KEY": tmp_path / "no", "CERTIFICATE": paths["certificate"]}, "/no cannot be read"),
    ):
        with pytest.raises(ImproperlyConfigured, match=message):
            login(**variables)


def test_the_deployment_check_says_what_the_variables_leave_open(settings, monkeypatch):
    login = InstitutionLogin(key=SAML, name="Uni", source="https://idp.example.org")
    assert checks.check_institution() == []
    settings.INSTITUTION_LOGINS = {SAML: login}
    assert [message.id for message in checks.check_institution()] == ["accounts.W005"]
    open_to_all = InstitutionLogin(key=OIDC, name="Uni", source="x", links_by_email=True)
    settings.INSTITUTION_LOGINS = {OIDC: open_to_all}
    monkeypatch.setattr(checks, "find_spec", lambda name: None)
    messages = checks.check_institution()
    assert [message.id for message in messages] == ["accounts.E003", "accounts.W004"]
    assert messages[0].hint == "Install requirements-server.lock."


def test_the_doctor_asks_each_provider(settings, tmp_path):
    assert network.check_institution() == ("ok", "No institution's login is set.", "")
    provider = OidcProvider()
    saml = SamlProvider().login(tmp_path)
    settings.INSTITUTION_LOGINS = {OIDC: provider.login(), SAML: saml}
    assert network.check_institution().level == "ok"
    provider.discovery = {"issuer": "https://evil.example"}
    wrong = network.check_institution()
    assert (wrong.level, "of the issuer https://evil.example" in wrong.found) == ("failed", True)
    provider.stop()
    silent = network.check_institution()
    assert "does not answer" in silent.found
    assert silent.advice == "Open it on this machine, and check OIDC_DISCOVERY_URL."
    (tmp_path / "metadata.xml").write_text("<a/>")
    settings.INSTITUTION_LOGINS = {SAML: SamlProvider().login(tmp_path, entity_id="another")}
    assert network.check_institution().level == "failed"


@pytest.mark.by_day(2)
def test_a_server_without_such_a_login_imports_nothing_for_it():
    """The demo installs none of these packages."""
    code = (
        "import sys; [sys.modules.__setitem__(name, None) for name in ('jwt', 'requests', "
        "'onelogin', 'xmlsec')]\n"
        "import django; django.setup()\n"
        "from django.test import Client\n"
        "from django.urls import get_resolver; get_resolver().url_patterns\n"
        "import accounts.institution.views\n"
    )
    environment = {"DJANGO_SETTINGS_MODULE": "config.settings", "SECRET_KEY": "x", "PATH": "/bin"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**environment, "DATA_DIR": "var/nothing"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
