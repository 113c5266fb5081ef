"""Checks of mail, the institution's login, the proxies, and what the public address shows."""

from __future__ import annotations

import http.client
import socket
import ssl
from datetime import UTC, datetime, timedelta
from email.message import Message
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import get_connection
from django.urls import reverse

from accounts.institution.configuration import OIDC
from accounts.institution.probe import ask_provider
from server.checks.results import CheckResult, failed, ok, warning

SECONDS = 4.0
CERTIFICATE_ENDS_SOON = timedelta(days=14)
LOCAL = ("localhost", "127.", "[::1]")
HEADERS = {
    "Content-Security-Policy": "frame-ancestors",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
SET_BY_PROXY = "Let the proxy pass the headers of Qrelsmith on."


def check_mail() -> CheckResult:
    backend = settings.EMAIL_BACKEND
    if not backend.endswith(".smtp.EmailBackend"):
        found = f"Mail goes to {backend.split('.')[-2]}, not to people."
        return warning(found, "Set EMAIL_URL.") if settings.PRODUCTION else ok(found)
    if not settings.is_overridden("EMAIL_HOST"):  # type: ignore[misc]
        found = "No mail server is set."
        return warning(found, "Set EMAIL_URL to send mail.") if settings.PRODUCTION else ok(found)
    place = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
    mail = get_connection(timeout=SECONDS)
    try:
        mail.open()  # connects, starts TLS and logs in
    except OSError as error:  # smtplib's errors are of it
        return failed(
            f"{place}: {type(error).__name__}",
            "Check EMAIL_URL: host, port, encryption and password.",
        )
    finally:
        mail.close()
    return ok(f"{place} accepts mail.")


def check_institution() -> CheckResult:
    """Ask each provider for what a login needs: its discovery document, or its SAML metadata."""
    logins = settings.INSTITUTION_LOGINS.values()
    for login in logins:
        variable = "OIDC_DISCOVERY_URL" if login.key == OIDC else "SAML_METADATA"
        try:
            ask_provider(login)
        except ImportError as error:
            return failed(
                f"{login.name}: {error.name} is missing.", "Install requirements-server.lock."
            )
        except OSError as error:
            return failed(
                f"{login.name}: {login.source} does not answer: {type(error).__name__}.",
                f"Open it on this machine, and check {variable}.",
            )
        except ValueError as error:
            return failed(f"{login.name}: {error}", f"Check {variable}.")
    if not logins:
        return ok("No institution's login is set.")
    return ok(f"{' and '.join(login.name for login in logins)} can be used to log in.")


def check_proxies() -> CheckResult:
    knows_tls = bool(getattr(settings, "SECURE_PROXY_SSL_HEADER", None))
    found = f"BEHIND_PROXY is {int(knows_tls)}, TRUSTED_PROXIES is {settings.TRUSTED_PROXIES}."
    if not settings.PRODUCTION:
        return ok(found)
    if knows_tls and not settings.TRUSTED_PROXIES:
        return failed(
            found,
            "Set TRUSTED_PROXIES to the number of proxies. All people now share one address.",
        )
    if not knows_tls and settings.SECURE_SSL_REDIRECT:
        return warning(
            found,
            "Set BEHIND_PROXY=1 if a proxy terminates TLS. Without it, every page redirects to "
            "itself.",
        )
    return ok(found)


def check_tls() -> CheckResult:
    """Ask the public address as a browser does: the log-in page, its headers and certificate."""
    address = public_address()
    if address is None:
        found = "The public address is not known."
        advice = "Set SERVER_URL, such as https://qrelsmith.example.org."
        return warning(found, advice) if settings.PRODUCTION else ok(found)
    parts = urlsplit(address)
    if parts.scheme != "https":
        return failed(f"{address} has no TLS.", "Put a proxy with TLS in front, as in the docs.")
    host, port = parts.hostname or "", parts.port or 443
    try:
        status, headers, ends_at = _ask(host, port)
    except ssl.SSLCertVerificationError as error:
        return failed(f"{address}: {error.verify_message}.", "Renew or fix the certificate.")
    except OSError as error:
        return failed(
            f"{address}: {error.strerror or type(error).__name__}.",
            "See whether the proxy runs, and whether this machine may reach the address.",
        )
    return _judged(address, status, headers, ends_at)


def _judged(address: str, status: int, headers: Message, ends_at: datetime) -> CheckResult:
    if status != http.client.OK:
        return failed(
            f"{address} answered {status}.",
            "Let the proxy pass requests on, with BEHIND_PROXY=1 and its X-Forwarded-Proto.",
        )
    missing = [name for name, part in HEADERS.items() if part not in headers.get(name, "")]
    if "Strict-Transport-Security" not in headers:
        missing.insert(0, "Strict-Transport-Security")
    if missing:
        return failed(f"{address} lacks {', '.join(missing)}.", SET_BY_PROXY)
    days = (ends_at - datetime.now(UTC)).days
    found = f"{address} has its headers; the certificate is valid for {days} days."
    if ends_at - datetime.now(UTC) < CERTIFICATE_ENDS_SOON:
        return warning(found, "Renew the certificate.")
    return ok(found)


def public_address() -> str | None:
    """SERVER_URL; in production, else `https://` and the first host that strangers can reach."""
    if settings.SERVER_URL or not settings.PRODUCTION:
        return settings.SERVER_URL or None
    for host in settings.ALLOWED_HOSTS:
        if host != "*" and not host.startswith((*LOCAL, ".")):
            return f"https://{host}"
    return None


def _ask(host: str, port: int) -> tuple[int, Message, datetime]:
    """Status and headers of the log-in page, and when the certificate ends.

    No redirect is followed.
    """
    context = ssl.create_default_context()
    with (
        socket.create_connection((host, port), timeout=SECONDS) as plain,
        context.wrap_socket(plain, server_hostname=host) as secure,
    ):
        certificate = secure.getpeercert() or {}
        connection = http.client.HTTPConnection(host, port, timeout=SECONDS)
        connection.sock = secure
        connection.request("GET", reverse("login"), headers={"User-Agent": "qrelsmith-doctor"})
        answer = connection.getresponse()
        ends = ssl.cert_time_to_seconds(str(certificate["notAfter"]))
        return answer.status, answer.headers, datetime.fromtimestamp(ends, UTC)
