"""The institution's logins as the environment names them. Nothing is fetched here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from accounts.institution.encryption import CERTIFICATE, KEY, NO_KEY, KeyPair, read_key_pair

OIDC, SAML = "oidc", "saml"
WELL_KNOWN = "/.well-known/openid-configuration"
LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1"}
_FLAGS = {"": False, "0": False, "1": True}
_OF_BOTH = ("NAME", "REQUIRED_CLAIMS", "EMAIL_DOMAINS", "EMAILS_ARE_VERIFIED", "LINK_BY_EMAIL")
VARIABLES = frozenset(
    {
        *("OIDC_DISCOVERY_URL", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"),
        *("SAML_METADATA", "SAML_ENTITY_ID", "SAML_SUBJECT_ATTRIBUTE", KEY, CERTIFICATE),
        *(f"{prefix}_{name}" for prefix in ("OIDC", "SAML") for name in _OF_BOTH),
    }
)


@dataclass(frozen=True)
class InstitutionLogin:
    """A provider, and whom it lets in.

    `source` is the address of its discovery document, or of its SAML metadata.
    """

    key: str  # OIDC or SAML; part of our addresses
    name: str  # on the button
    source: str
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    entity_id: str = ""  # of SAML, if the metadata have several providers
    subject_attribute: str = ""  # of SAML, if none of the usual ones identifies a person
    encryption: KeyPair = NO_KEY  # of SAML; with it, each assertion must be encrypted
    required_claims: tuple[tuple[str, str], ...] = ()
    email_domains: tuple[str, ...] = ()
    emails_are_verified: bool = False  # although the provider does not say so
    links_by_email: bool = False


def read_logins(environment: Mapping[str, str]) -> dict[str, InstitutionLogin]:
    """The logins that the variables OIDC_… and SAML_… name, by their keys.

    Raises:
        ImproperlyConfigured: a variable is missing or invalid. The message has no secret.
    """
    logins = (_read_oidc(environment), _read_saml(environment))
    return {login.key: login for login in logins if login is not None}


def _read_oidc(environment: Mapping[str, str]) -> InstitutionLogin | None:
    source = _value(environment, "OIDC_DISCOVERY_URL").removesuffix(WELL_KNOWN)
    if not source:
        _check_nothing_else(environment, "OIDC_DISCOVERY_URL")
        return None
    _check_address("OIDC_DISCOVERY_URL", source)
    names = ("OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET")
    if missing := [name for name in names if not _value(environment, name)]:
        raise ImproperlyConfigured(
            f"OIDC_DISCOVERY_URL is set, but {' and '.join(missing)} is missing. Register Qrelsmith"
            " at the provider, which gives you an id and a secret."
        )
    return InstitutionLogin(
        key=OIDC,
        source=source.rstrip("/") + WELL_KNOWN,
        client_id=_value(environment, "OIDC_CLIENT_ID"),
        client_secret=_value(environment, "OIDC_CLIENT_SECRET"),
        **_common(environment, "OIDC"),  # type: ignore[arg-type]
    )


def _read_saml(environment: Mapping[str, str]) -> InstitutionLogin | None:
    source = _value(environment, "SAML_METADATA")
    if not source:
        _check_nothing_else(environment, "SAML_METADATA")
        return None
    if source.startswith("/"):
        source = Path(source).as_uri()
    else:
        _check_address("SAML_METADATA", source)
    return InstitutionLogin(
        key=SAML,
        source=source,
        entity_id=_value(environment, "SAML_ENTITY_ID"),
        subject_attribute=_value(environment, "SAML_SUBJECT_ATTRIBUTE"),
        encryption=read_key_pair(_value(environment, KEY), _value(environment, CERTIFICATE)),
        **_common(environment, "SAML"),  # type: ignore[arg-type]
    )


def _common(environment: Mapping[str, str], prefix: str) -> dict[str, object]:
    _check_names(environment, prefix)
    return {
        "name": _value(environment, f"{prefix}_NAME") or "your institution",
        "required_claims": _claims(environment, f"{prefix}_REQUIRED_CLAIMS"),
        "email_domains": _domains(environment, f"{prefix}_EMAIL_DOMAINS"),
        "emails_are_verified": _flag(environment, f"{prefix}_EMAILS_ARE_VERIFIED"),
        "links_by_email": _flag(environment, f"{prefix}_LINK_BY_EMAIL"),
    }


def _claims(environment: Mapping[str, str], variable: str) -> tuple[tuple[str, str], ...]:
    claims = []
    for part in _value(environment, variable).split(";"):
        if not part.strip():
            continue
        # The name of a SAML attribute may be an address, but has no "=".
        name, equals, value = (text.strip() for text in part.partition("="))
        if not (name and equals and value):
            raise ImproperlyConfigured(
                f'{variable}: "{part.strip()}" is no claim with a value. Write claim=value, and '
                "separate several with a semicolon, such as groups=judges;groups=staff."
            )
        claims.append((name, value))
    return tuple(claims)


def _domains(environment: Mapping[str, str], variable: str) -> tuple[str, ...]:
    domains = [domain.strip().lower() for domain in _value(environment, variable).split(",")]
    for domain in filter(None, domains):
        if "@" in domain or "*" in domain or "." not in domain.strip("."):
            raise ImproperlyConfigured(
                f'{variable}: "{domain}" is no domain. Write example.org, and separate several with'
                " a comma. Subdomains are not included: list each."
            )
    return tuple(filter(None, domains))


def _flag(environment: Mapping[str, str], variable: str) -> bool:
    value = _value(environment, variable)
    if value not in _FLAGS:
        raise ImproperlyConfigured(f"{variable} must be 1 or 0, got {value!r}.")
    return _FLAGS[value]


def _check_address(variable: str, address: str) -> None:
    """Require TLS: an attacker who changes an answer on its way could log in as anyone."""
    parts = urlsplit(address)
    is_local = parts.hostname in LOCAL_HOSTS
    if not parts.hostname or parts.scheme not in ({"https", "http"} if is_local else {"https"}):
        raise ImproperlyConfigured(
            f'{variable} must begin with https://, got "{address}". Only localhost may use http://.'
        )


def _check_names(environment: Mapping[str, str], prefix: str) -> None:
    """A typing error in OIDC_EMAIL_DOMAINS must not open the server to all domains."""
    named = {name for name in environment if name.startswith(f"{prefix}_")}
    if unknown := sorted(named - VARIABLES):
        known = ", ".join(sorted(name for name in VARIABLES if name.startswith(prefix)))
        raise ImproperlyConfigured(f"{unknown[0]} is unknown. The variables are {known}.")


def _check_nothing_else(environment: Mapping[str, str], variable: str) -> None:
    """Raise ImproperlyConfigured if a variable that belongs to the missing one is set."""
    prefix = variable.partition("_")[0]
    of_same_login = sorted(name for name in VARIABLES if name.startswith(prefix))
    if filled := [name for name in of_same_login if _value(environment, name)]:
        raise ImproperlyConfigured(
            f"{filled[0]} is set, but {variable} is missing. Set both or none."
        )


def _value(environment: Mapping[str, str], variable: str) -> str:
    return environment.get(variable, "").strip()
