"""OpenID Connect by django-allauth, and what it leaves out: the signature, the nonce, the subject.

Imported when a login begins: requests and PyJWT are only in `requirements-server.lock`.
"""

from __future__ import annotations

from typing import Any

import jwt
from allauth.account.models import EmailAddress
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialApp, SocialLogin, SocialToken
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import get_random_string

from accounts.institution.claims import Identity, identity_key, plain_email
from accounts.institution.configuration import WELL_KNOWN, InstitutionLogin

# With a public key. "none" and the HMAC of a secret are refused.
ALGORITHMS = {f"{family}{bits}" for family in ("RS", "PS", "ES") for bits in (256, 384, 512)}
ALGORITHMS.add("EdDSA")
DISCOVERY_SECONDS = 600
CLOCKS_DIFFER_SECONDS = 60
_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")


class InvalidProvider(OAuth2Error, ValueError):
    """The provider, or its answer, is not as it must be. The message is for the log."""


def discover(login: InstitutionLogin) -> dict[str, Any]:
    """The provider's discovery document.

    Raises:
        InvalidProvider: it lacks something, or is of another issuer.
        requests.RequestException: the provider does not answer.
    """
    document = _fetch(login.source)
    if missing := [name for name in _ENDPOINTS if not document.get(name)]:
        raise InvalidProvider(f"{login.source} has no {missing[0]}.")
    # OpenID Connect Discovery 1.0, section 4.3. Without it, one issuer could speak for another.
    expected = login.source.removesuffix(WELL_KNOWN)
    if str(document.get("issuer", "")).rstrip("/") != expected:
        raise InvalidProvider(
            f"{login.source} is of the issuer {document.get('issuer')}, not of {expected}."
        )
    document.setdefault("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    return document


def signing_keys(document: dict[str, Any]) -> dict[str, Any]:
    """The provider's public keys. Raises InvalidProvider if there are none."""
    keys = _fetch(document["jwks_uri"])
    if not keys.get("keys"):
        raise InvalidProvider(f"{document['jwks_uri']} has no keys.")
    return keys


def verify_id_token(
    id_token: str, *, keys: dict[str, Any], issuer: str, client_id: str
) -> dict[str, Any]:
    """The claims of the token (OpenID Connect Core 1.0, section 3.1.3.7, without the nonce).

    Raises:
        InvalidProvider: signature, algorithm, issuer, audience, time or subject are wrong.
    """
    try:
        header = jwt.get_unverified_header(id_token)
        algorithm = header["alg"]
        if algorithm not in ALGORITHMS:
            raise InvalidProvider(f"The ID token is signed with {algorithm}.")
        usable = [
            key
            for key in jwt.PyJWKSet.from_dict(keys).keys
            if key.public_key_use in (None, "sig") and header.get("kid") in (None, key.key_id)
        ]
        if len(usable) != 1:
            raise InvalidProvider(f"{len(usable)} keys fit the ID token.")
        claims: dict[str, Any] = jwt.decode(
            id_token,
            key=usable[0].key,
            algorithms=[algorithm],
            issuer=issuer,
            audience=client_id,
            leeway=CLOCKS_DIFFER_SECONDS,
            options={"require": ["exp", "iat", "iss", "aud", "sub"]},
        )
    except (jwt.PyJWTError, KeyError, TypeError) as error:
        raise InvalidProvider(f"The ID token is invalid: {type(error).__name__}.") from error
    audience = claims["aud"]
    is_for_others = isinstance(audience, list) and len(audience) > 1
    if claims.get("azp", None if is_for_others else client_id) != client_id:
        raise InvalidProvider("The ID token was made for another program.")
    return claims


class OidcAdapter(OpenIDConnectOAuth2Adapter):
    @property
    def openid_config(self) -> dict[str, Any]:
        """The discovery document, read once in ten minutes."""
        login = self.get_provider().app.settings["login"]
        key = f"institution|{login.source}"
        document: dict[str, Any] | None = cache.get(key)
        if document is None:
            document = discover(login)
            cache.set(key, document, DISCOVERY_SECONDS)
        return document

    def complete_login(
        self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any
    ) -> SocialLogin:
        """The login that the ID token and the userinfo of the same person describe."""
        id_token = kwargs["response"].get("id_token")
        if not isinstance(id_token, str):
            raise InvalidProvider("The provider sent no ID token.")
        claims = verify_id_token(
            id_token,
            keys=signing_keys(self.openid_config),
            issuer=self.openid_config["issuer"],
            client_id=app.client_id,
        )
        userinfo = {}
        if self.openid_config.get("userinfo_endpoint"):
            userinfo = self._fetch_user_info(token.token)
            if not isinstance(userinfo, dict) or userinfo.get("sub") != claims["sub"]:
                raise InvalidProvider("The userinfo is of another person than the ID token.")
        return self.get_provider().sociallogin_from_response(request, {**userinfo, **claims})


class OidcProvider(OpenIDConnectProvider):
    oauth2_adapter_class = OidcAdapter

    def redirect(
        self, request: HttpRequest, process: str, next_url: str | None = None, **kwargs: Any
    ) -> HttpResponse:
        nonce = get_random_string(32)
        parameters = {**self.get_auth_params(), "nonce": nonce}
        answer: HttpResponse = super().redirect(
            request, process, next_url, auth_params=parameters, nonce=nonce, **kwargs
        )
        return answer

    def sociallogin_from_response(
        self, request: HttpRequest, response: dict[str, Any]
    ) -> SocialLogin:
        login = super().sociallogin_from_response(request, response)
        login.identity = self._identity(response)
        return login

    def extract_uid(self, data: dict[str, Any]) -> str:
        return self._identity(data).key

    def extract_extra_data(self, data: dict[str, Any]) -> dict[str, Any]:
        """Only what the account page shows."""
        return {"email": self._identity(data).email}

    def extract_common_fields(self, data: dict[str, Any]) -> dict[str, Any]:
        return {}

    def extract_email_addresses(self, data: dict[str, Any]) -> list[EmailAddress]:
        return []

    def _identity(self, claims: dict[str, Any]) -> Identity:
        email = plain_email(claims.get("email"))
        is_verified = claims.get("email_verified")
        if is_verified is None:
            is_verified = self.app.settings["login"].emails_are_verified
        return Identity(
            key=identity_key(str(claims["iss"]), str(claims["sub"])),
            email=email,
            is_email_verified=bool(email) and is_verified in (True, "true"),
            name=_text(claims.get("name")),
            username=_text(claims.get("preferred_username")),
            claims=claims,
        )


def finish(request: HttpRequest, key: str) -> HttpResponse:
    """Log in with the code with which the browser came back."""
    answer: HttpResponse = OAuth2CallbackView.adapter_view(OidcAdapter(request, key))(request)
    return answer


def _fetch(address: str) -> dict[str, Any]:
    with get_adapter().get_requests_session() as session:
        answer = session.get(address)
        answer.raise_for_status()
        document = answer.json()
    if not isinstance(document, dict):
        raise InvalidProvider(f"{address} is no JSON object.")
    return document


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
