"""The key with which a SAML provider encrypts for this server: two files of the environment.

Files, because a PEM has several lines, which many programs that set variables cannot carry.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from django.core.exceptions import ImproperlyConfigured

KEY, CERTIFICATE = "SAML_ENCRYPTION_KEY", "SAML_ENCRYPTION_CERTIFICATE"
_COMMAND = (
    "openssl req -x509 -newkey rsa:3072 -nodes -days 3650 -subj /CN=qrelsmith -keyout saml.key "
    "-out saml.crt"
)


class KeyPair(NamedTuple):
    key: str = ""  # PEM
    certificate: str = ""  # PEM

    def __repr__(self) -> str:
        return "KeyPair(…)"  # an error report has the values of variables


NO_KEY = KeyPair()


def read_key_pair(key_path: str, certificate_path: str) -> KeyPair:
    """The key and its certificate, or an empty pair without both paths.

    Raises:
        ImproperlyConfigured: one of them is missing or cannot be read, or they are not a pair.
    """
    if not (key_path or certificate_path):
        return NO_KEY
    if not (key_path and certificate_path):
        missing = CERTIFICATE if key_path else KEY
        raise ImproperlyConfigured(f"{missing} is missing. Make both files with: {_COMMAND}")
    pair = KeyPair(_read(KEY, key_path), _read(CERTIFICATE, certificate_path))
    try:
        public_key = load_pem_private_key(pair.key.encode(), None).public_key()
        certified_key = x509.load_pem_x509_certificate(pair.certificate.encode()).public_key()
    except (ValueError, TypeError) as error:
        raise ImproperlyConfigured(
            f"{KEY} or {CERTIFICATE} is no PEM file without a password. Make both with: {_COMMAND}"
        ) from error
    if public_key != certified_key:
        raise ImproperlyConfigured(
            f"{CERTIFICATE} is of another key than {KEY}. Make both with: {_COMMAND}"
        )
    return pair


def _read(variable: str, path: str) -> str:
    try:
        return Path(path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(
            f"{variable}: the file {path} cannot be read ({type(error).__name__}). Name a PEM file "
            "that the server's user may read."
        ) from error
