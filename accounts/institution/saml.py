"""SAML by django-allauth and python3-saml.

Imported when a login begins: python3-saml is only in `requirements-server.lock`.
"""

from __future__ import annotations

from typing import Any

import xmlsec
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers import registry
from allauth.socialaccount.providers.saml import views
from allauth.socialaccount.providers.saml.provider import SAMLProvider
from allauth.socialaccount.providers.saml.utils import build_saml_config, fetch_metadata_url_config
from django.http import HttpRequest, HttpResponse
from onelogin.saml2.auth import OneLogin_Saml2_Auth
from onelogin.saml2.errors import OneLogin_Saml2_Error
from onelogin.saml2.settings import OneLogin_Saml2_Settings

from accounts.institution.claims import Identity, identity_key, plain_email
from accounts.institution.configuration import SAML, InstitutionLogin

FETCH_SECONDS = 5
# Each names a person for good, and no one else later. A transient NameID does not.
SUBJECTS = (
    "urn:oasis:names:tc:SAML:attribute:subject-id",
    "urn:oasis:names:tc:SAML:attribute:pairwise-id",
    "urn:oid:1.3.6.1.4.1.5923.1.1.1.13",  # eduPersonUniqueId
    "http://schemas.microsoft.com/identity/claims/objectidentifier",
)
PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
EMAILS = (
    "urn:oid:0.9.2342.19200300.100.1.3",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
    *("mail", "email"),
)
NAMES = (
    "urn:oid:2.16.840.1.113730.3.1.241",
    "http://schemas.microsoft.com/identity/claims/displayname",
    *("displayName", "name"),
)
USERNAMES = ("urn:oid:0.9.2342.19200300.100.1.1", "uid")


class InvalidResponse(ValueError):
    """The message is for the log."""


def saml_settings(login: InstitutionLogin) -> dict[str, Any]:
    """The settings of the provider for django-allauth. python3-saml always requires a signature."""
    advanced: dict[str, Any] = {"allow_single_label_domains": True}  # a host without a dot
    if login.encryption.key:
        advanced["private_key"], advanced["x509cert"] = login.encryption
        advanced["want_assertion_encrypted"] = True
    return {
        "login": login,
        "idp": {
            "metadata_url": login.source,
            "entity_id": login.entity_id or None,
            "metadata_request_timeout": FETCH_SECONDS,
        },
        "advanced": advanced,
    }


def read_metadata(login: InstitutionLogin) -> dict[str, Any]:
    """The provider of the metadata: `entityId`, `singleSignOnService` and its certificates.

    Raises:
        InvalidResponse: the metadata have no such provider, or no certificate.
        OSError: they cannot be read.
    """
    try:
        found = fetch_metadata_url_config(saml_settings(login)["idp"]).get("idp", {})
    except Exception as error:
        if type(error) is not Exception:  # which is what python3-saml raises for other content
            raise
        raise InvalidResponse(f"{login.source} has no SAML metadata of a provider.") from error
    if not found.get("singleSignOnService"):
        raise InvalidResponse(f"{login.source} has no provider for browsers with HTTP-Redirect.")
    if not (found.get("x509cert") or found.get("x509certMulti")):
        raise InvalidResponse(f"{login.source} has no certificate.")
    return dict(found)


class SamlProvider(SAMLProvider):
    def redirect(self, *args: Any, **kwargs: Any) -> HttpResponse:
        read_metadata(self.app.settings["login"])
        answer: HttpResponse = super().redirect(*args, **kwargs)
        return answer

    def sociallogin_from_response(
        self, request: HttpRequest, response: OneLogin_Saml2_Auth
    ) -> SocialLogin:
        login = super().sociallogin_from_response(request, response)
        login.identity = self._identity(response)
        return login

    def extract_uid(self, data: OneLogin_Saml2_Auth) -> str:
        return self._identity(data).key

    def extract_extra_data(self, data: OneLogin_Saml2_Auth) -> dict[str, Any]:
        """Only what the account page shows."""
        return {"email": self._identity(data).email}

    def extract_common_fields(self, data: OneLogin_Saml2_Auth) -> dict[str, Any]:
        return {}

    def extract_email_addresses(self, data: OneLogin_Saml2_Auth) -> list[EmailAddress]:
        return []

    def _identity(self, data: OneLogin_Saml2_Auth) -> Identity:
        login: InstitutionLogin = self.app.settings["login"]
        # By their short names, too, if the provider sends them.
        attributes = {**data.get_friendlyname_attributes(), **data.get_attributes()}
        issuer = data.get_settings().get_idp_data()["entityId"]
        chosen = (login.subject_attribute,) if login.subject_attribute else SUBJECTS
        subject = _first(attributes, chosen)
        if not subject and not login.subject_attribute and data.get_nameid_format() == PERSISTENT:
            subject = data.get_nameid() or ""
        if not subject:
            raise InvalidResponse(
                "The response has no lasting id of the person. Let the provider send subject-id, "
                "pairwise-id or a persistent NameID, or set SAML_SUBJECT_ATTRIBUTE."
            )
        email = plain_email(_first(attributes, EMAILS))
        return Identity(
            key=identity_key(issuer, subject),
            email=email,
            is_email_verified=bool(email) and login.emails_are_verified,
            name=_first(attributes, NAMES),
            username=_first(attributes, USERNAMES),
            claims=attributes,
        )


registry.register(SamlProvider)  # where django-allauth's views look it up


def receive(request: HttpRequest, key: str) -> HttpResponse:
    """Keep the response that the browser posts. It comes without our session's cookie."""
    answer: HttpResponse = views.acs(request, organization_slug=key)
    return answer


def finish(request: HttpRequest, key: str) -> HttpResponse:
    """Log in with the response. Raises InvalidResponse if it cannot be read or decrypted."""
    try:
        answer: HttpResponse = views.finish_acs(request, organization_slug=key)
    except (OneLogin_Saml2_Error, SyntaxError, xmlsec.Error) as error:
        raise InvalidResponse(f"The response cannot be read: {type(error).__name__}.") from error
    return answer


def own_metadata(request: HttpRequest, provider: SamlProvider) -> str:
    """Our metadata, for the provider. Without logging out there, which is not offered."""
    settings = provider.app.settings
    read_metadata(settings["login"])
    config = build_saml_config(request, settings, SAML)
    del config["sp"]["singleLogoutService"]
    metadata = OneLogin_Saml2_Settings(config, sp_validation_only=True).get_sp_metadata()
    return metadata.decode() if isinstance(metadata, bytes) else str(metadata)


def _first(attributes: dict[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        for value in attributes.get(name) or ():
            if isinstance(value, str) and value.strip():
                return " ".join(value.split())
    return ""
