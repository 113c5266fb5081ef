"""Reject requests with text that cannot be stored: NUL, or half of a surrogate pair."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable

from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.http.request import UnreadablePostError
from django.utils.translation import gettext_noop

from web.api.serializers import remove_received
from web.disk import NoRoom, is_full, is_refused
from web.requests.refusals import API, refuse
from web.requests.storable_text import explain, find_unstorable

Handler = Callable[[HttpRequest], HttpResponseBase]


class Malformed(Exception):
    """The message is for the person who sent the request."""


def check_text(get_response: Handler) -> Handler:
    """Middleware: 400 for a request whose text no view could look up or store.

    It runs before the session middleware, whose key comes from a cookie. The API checks bodies in
    its parsers, because it must check the token before it reads a body.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        try:
            _check_charset(request)
            _check("The address", [request.path])
            _check("The Authorization header", [request.META.get("HTTP_AUTHORIZATION", "")])
            for name, value in request.COOKIES.items():
                _check(f"The cookie {name!a}", [name, value])
            _check_fields("parameter", request.GET)
        except Malformed as error:
            return refuse(request, 400, "malformed", str(error))
        return get_response(request)

    return middleware


def check_form(get_response: Handler) -> Handler:
    """Middleware: the same for a form's fields. It reads them, so it runs after `limit_body`."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.method == "POST" and not request.path.startswith(API):
            try:
                _check_fields("field", request.POST)
            except Malformed as error:
                return refuse(request, 400, "malformed", str(error))
            except UnreadablePostError:
                message = gettext_noop(
                    "The connection ended before the whole request arrived. Send it again."
                )
                return refuse(request, 400, "malformed", message)
            except OSError as error:
                remove_received(request)
                if not is_full(error) and not is_refused(error):
                    raise
                message = str(NoRoom("your file", error))
                return refuse(request, 507, "no_room", message)
        return get_response(request)

    return middleware


def _check_charset(request: HttpRequest) -> None:
    # Django decodes parameters by the charset that the client names, and with some of them it
    # decodes half of a surrogate pair.
    if request.encoding and codecs.lookup(request.encoding).name not in ("utf-8", "ascii"):
        raise Malformed(f"The charset {request.encoding!a} is not accepted. Send UTF-8.")


def _check_fields(kind: str, fields: QueryDict) -> None:
    for name, values in fields.lists():
        _check(f"The {kind} {name!a}", [name, *values])


def _check(place: str, texts: Iterable[object]) -> None:
    if character := find_unstorable(list(texts)):
        raise Malformed(explain(place, character))
