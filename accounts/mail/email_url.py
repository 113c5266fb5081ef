"""EMAIL_URL, such as `smtp://user:password@smtp.example.org:587?tls=1`, for the settings."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

PORTS = {"smtp": 25, "smtps": 465}


def smtp_settings(url: str) -> dict[str, Any]:
    """Django's settings of an SMTP server. The password may be percent-encoded.

    Raises:
        ImproperlyConfigured: the URL is wrong. The message does not contain it, because it has a
            password.
    """
    example = 'Write it like "smtp://user:password@smtp.example.org:587?tls=1".'
    parts = urlsplit(url)
    if parts.scheme not in PORTS or not parts.hostname or parts.path not in ("", "/"):
        raise ImproperlyConfigured(f"EMAIL_URL must begin with smtp:// or smtps://. {example}")
    options = parse_qs(parts.query)
    if set(options) - {"tls"} or options.get("tls", ["0"]) not in (["0"], ["1"]):
        raise ImproperlyConfigured(f"EMAIL_URL has an unknown option. {example}")
    try:
        port = parts.port or PORTS[parts.scheme]
    except ValueError as error:
        raise ImproperlyConfigured(f"EMAIL_URL has an invalid port. {example}") from error
    use_tls = options.get("tls") == ["1"]
    if use_tls and parts.scheme == "smtps":
        raise ImproperlyConfigured("EMAIL_URL: smtps:// has TLS already. Remove ?tls=1.")
    return {
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": port,
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": use_tls,
        "EMAIL_USE_SSL": parts.scheme == "smtps",
    }
