"""A small OpenID provider on localhost, which can be told to lie."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from accounts.institution.configuration import OIDC, WELL_KNOWN, InstitutionLogin

CLIENT, SECRET, KEY_ID = "qrelsmith", "a secret that is only for the tests", "first"
MARA = {"sub": "248289", "email": "mara@uni.example", "email_verified": True, "name": "Mara Lind"}


def a_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@cache
def own_key() -> rsa.RSAPrivateKey:
    """Of every provider of the process: a new one takes 0.07 s."""
    return a_key()


@dataclass
class OidcProvider:
    """`person` logs in. The rest are lies: claims, key and algorithm of the token, and answers."""

    person: dict[str, Any] = field(default_factory=lambda: dict(MARA))
    token_claims: dict[str, Any] = field(default_factory=dict)  # None removes one
    userinfo: dict[str, Any] = field(default_factory=dict)
    signing_key: Any = None
    algorithm: str = "RS256"
    discovery: dict[str, Any] = field(default_factory=dict)
    error: str = ""  # in place of a code
    refuses_tokens: bool = False

    def __post_init__(self) -> None:
        self.key = own_key()
        self._asked: dict[str, dict[str, str]] = {}
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.answer(self)

            do_POST = do_GET  # noqa: N815 (http.server's name)

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("localhost", 0), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def issuer(self) -> str:
        return f"http://localhost:{self._server.server_port}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def login(self, **changes: Any) -> InstitutionLogin:
        values = {
            "key": OIDC,
            "name": "Uni Example",
            "source": self.issuer + WELL_KNOWN,
            "client_id": CLIENT,
            "client_secret": SECRET,
        }
        return InstitutionLogin(**{**values, **changes})

    def authorize(self, address: str) -> str:
        """What the browser does there: the person logs in, and is sent back to this address."""
        asked = dict(parse_qsl(urlsplit(address).query))
        code = f"code-{len(self._asked)}"
        self._asked[code] = asked
        answer = {"error": self.error} if self.error else {"code": code}
        return f"{asked['redirect_uri']}?{urlencode({**answer, 'state': asked['state']})}"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        path = urlsplit(handler.path).path
        if path == "/authorize":
            handler.send_response(302)
            handler.send_header("Location", self.authorize(handler.path))
            handler.end_headers()
            return
        length = int(handler.headers.get("Content-Length", 0))
        form = dict(parse_qsl(handler.rfile.read(length).decode()))
        content = {
            WELL_KNOWN: self._discovery,
            "/keys": self._keys,
            "/token": lambda: self._token(form),
            "/userinfo": lambda: {**self.person, **self.userinfo},
        }[path]()
        handler.send_response(200 if content else 400)
        handler.send_header("Content-Type", "application/json")
        handler.end_headers()
        handler.wfile.write(json.dumps(content).encode())

    def _discovery(self) -> dict[str, Any]:
        document = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "jwks_uri": f"{self.issuer}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }
        return {**document, **self.discovery}

    def _keys(self) -> dict[str, Any]:
        key = RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [{**key, "kid": KEY_ID, "use": "sig"}]}

    def _token(self, form: dict[str, str]) -> dict[str, Any]:
        """Codes work once, for the client with its secret and the verifier of the challenge."""
        asked = self._asked.pop(form["code"], None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if self.refuses_tokens or asked is None or asked["code_challenge"] != challenge:
            return {}
        assert (form["client_id"], form["client_secret"]) == (CLIENT, SECRET)
        assert form["redirect_uri"] == asked["redirect_uri"]
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 60, **self.person}
        claims = {**claims, "nonce": asked["nonce"], **self.token_claims}
        claims = {name: value for name, value in claims.items() if value is not None}
        key = None if self.algorithm == "none" else self.signing_key or self.key
        token = jwt.encode(claims, key, algorithm=self.algorithm, headers={"kid": KEY_ID})
        return {"access_token": "access", "token_type": "Bearer", "id_token": token}
