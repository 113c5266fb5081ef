"""Errors sent to a Sentry-compatible server (`SENTRY_DSN`), without personal data.

Each error that the log gets is sent, with an event of its own: nothing is taken from the request.
`reduced` keeps a list of named fields and drops everything else, so a later version of the package
cannot add a field with personal data.
"""

from __future__ import annotations

import logging
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from web.logs.context import job_id, request_id
from web.logs.descriptions import chain, describe
from web.logs.formatters import guarded_message, route_of

KEPT = ("event_id", "timestamp", "level", "platform", "logger", "release", "environment", "sdk")
KEPT_OF_A_FRAME = (
    *("filename", "abs_path", "function", "module", "lineno", "in_app"),
    *("context_line", "pre_context", "post_context"),
)


def start(dsn: str) -> None:
    """Raises ImproperlyConfigured without the package, or for a DSN that is none."""
    try:
        import sentry_sdk
        from sentry_sdk.integrations.atexit import AtexitIntegration
        from sentry_sdk.integrations.dedupe import DedupeIntegration
        from sentry_sdk.integrations.logging import LoggingIntegration
        from sentry_sdk.utils import BadDsn
    except ImportError as error:
        raise ImproperlyConfigured(
            "SENTRY_DSN is set, but the package sentry-sdk is missing. Install "
            "requirements-server.lock, or unset it."
        ) from error
    try:
        sentry_sdk.init(
            dsn=dsn,
            release=f"qrelsmith@{settings.SOFTWARE_VERSION}",
            environment=settings.MODE,
            # The others read requests, statements of SQL and local variables.
            default_integrations=False,
            auto_enabling_integrations=False,
            integrations=[
                LoggingIntegration(level=None, event_level=logging.ERROR),
                AtexitIntegration(callback=lambda *_: None),
                DedupeIntegration(),
            ],
            before_send=reduced,  # type: ignore[arg-type]
            before_breadcrumb=lambda *_: None,
            include_local_variables=False,
            max_request_body_size="never",
            auto_session_tracking=False,
            send_client_reports=False,
            server_name="",
        )
    except BadDsn as error:
        raise ImproperlyConfigured(
            "SENTRY_DSN is no DSN. It looks like https://KEY@HOST/PROJECT."
        ) from error


def reduced(event: dict[str, Any], hint: dict[str, Any]) -> dict[str, Any]:
    """The event with the named fields only, and exceptions without their messages."""
    record = hint.get("log_record")
    kept = {name: event[name] for name in KEPT if name in event}
    kept["tags"] = {
        name: value
        for name, value in (("request_id", request_id.get()), ("job_id", job_id.get()))
        if value
    }
    if record is not None:
        kept["logentry"] = {"message": guarded_message(record)}
        if hasattr(record, "request"):
            kept["transaction"] = route_of(record.request)
    exceptions = event.get("exception", {}).get("values", [])
    if exceptions:
        kept["exception"] = {"values": _without_content(exceptions, hint)}
    return kept


def _without_content(exceptions: list[dict[str, Any]], hint: dict[str, Any]) -> list[Any]:
    error = (hint.get("exc_info") or (None, None, None))[1]
    # The SDK lists the causes first. A description is found by type, because it lists groups too.
    descriptions = {type(each).__name__: describe(each) for each in chain(error)} if error else {}
    return [
        {
            "type": each.get("type"),
            "module": each.get("module"),
            "value": descriptions.get(str(each.get("type")), ""),
            "mechanism": {"type": "logging", "handled": True},
            "stacktrace": {
                "frames": [
                    {name: frame[name] for name in KEPT_OF_A_FRAME if name in frame}
                    for frame in (each.get("stacktrace") or {}).get("frames", [])
                ]
            },
        }
        for each in exceptions
    ]
