"""The clients that may read the metrics."""

from __future__ import annotations

import hmac
import importlib.util
import ipaddress

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest

from accounts.login.limits import client_address

INSTALL = "Install requirements-server.lock, or unset it."


def is_on() -> bool:
    return bool(settings.METRICS_TOKEN or settings.METRICS_ADDRESSES)


def check_settings() -> None:
    """Raises ImproperlyConfigured for an address that is none, or without the package."""
    for text in settings.METRICS_ADDRESSES:
        try:
            ipaddress.ip_network(text, strict=False)
        except ValueError:
            raise ImproperlyConfigured(
                f"METRICS_ADDRESSES has {text!r}, which is no network address. "
                "Write it as 127.0.0.1 or 10.0.0.0/8."
            ) from None
    if is_on() and importlib.util.find_spec("prometheus_client") is None:
        raise ImproperlyConfigured(
            "METRICS_TOKEN or METRICS_ADDRESSES is set, but the package prometheus-client is "
            f"missing. {INSTALL}"
        )


def may_read(request: HttpRequest) -> bool:
    """True for a client that meets each of the two settings that is set."""
    if not is_on():
        return False
    return _has_token(request) and _has_address(request)


def _has_token(request: HttpRequest) -> bool:
    if not settings.METRICS_TOKEN:
        return True
    given = request.META.get("HTTP_AUTHORIZATION", "")
    wanted = f"Bearer {settings.METRICS_TOKEN}"
    return hmac.compare_digest(given.encode(errors="replace"), wanted.encode())


def _has_address(request: HttpRequest) -> bool:
    if not settings.METRICS_ADDRESSES:
        return True
    try:
        # An IPv6 client counts as its network of 64 bits, as everywhere.
        client = ipaddress.ip_network(client_address(request), strict=False)
    except ValueError:
        return False
    allowed = [ipaddress.ip_network(text, strict=False) for text in settings.METRICS_ADDRESSES]
    return any(client.overlaps(network) for network in allowed)
