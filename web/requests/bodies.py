"""Limit the length of request bodies, before anything is read or stored."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext_noop

from web.requests.refusals import API, refuse

Handler = Callable[[HttpRequest], HttpResponseBase]


def limit_body(get_response: Handler) -> Handler:
    """Middleware: refuse a body that is longer than this person may send, or of unknown length.

    Django reads a form, and writes its files to disk, before any view can ask who sent it.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.META.get("HTTP_TRANSFER_ENCODING"):
            # Django would not read the chunks and would treat the form as empty.
            message = "Send a Content-Length; bodies in chunks are not accepted."
            return refuse(request, 411, "length_required", message)
        length_text = str(request.META.get("CONTENT_LENGTH") or "0")
        if not (length_text.isascii() and length_text.isdigit()):
            message = f"Content-Length must be a whole number, got {length_text!a}."
            return refuse(request, 400, "malformed", message)
        length = int(length_text)
        # Looking up the user costs a query, so it is done for large bodies only.
        if length > settings.ANONYMOUS_BODY_BYTES:
            limit = settings.MAX_UPLOAD_BYTES if _may_upload(request) else 0
            limit = max(limit, settings.ANONYMOUS_BODY_BYTES)
            if length > limit:
                values = {"length": f"{length:,}", "limit": f"{limit:,}"}
                return refuse(request, 413, "too_large", _explanation(limit), **values)
        return get_response(request)

    return middleware


def _may_upload(request: HttpRequest) -> bool:
    # The API checks the token before it reads the body.
    has_token = "HTTP_AUTHORIZATION" in request.META and request.path.startswith(API)
    return has_token or request.user.is_authenticated


def _explanation(limit: int) -> str:
    if limit == settings.ANONYMOUS_BODY_BYTES:
        return gettext_noop(
            "This request has %(length)s bytes; at most %(limit)s are accepted without logging in. "
            "Log in first."
        )
    return gettext_noop(
        "This request has %(length)s bytes; at most %(limit)s are accepted. Split or compress the "
        "file, or ask the person who runs this server."
    )
