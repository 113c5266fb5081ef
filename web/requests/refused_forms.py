"""A form that was refused can be reloaded: post, redirect, get.

The answer to a refused form shows what was typed, with the errors. A browser that reloads it would
send the form again, and the address of a form may have no page of its own. So the answer is kept in
the session, and the browser is redirected to it. It stays for an hour, or until the session has
another: every request reads the session.

Only browsers that say that they navigate are redirected: others want the answer. They say so to a
secure server and to one on this machine (the header Sec-Fetch-Mode).
"""

from __future__ import annotations

import base64
import secrets
import zlib
from collections.abc import Callable
from datetime import timedelta

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.template import loader
from django.utils import timezone

from web.languages.choice import in_language_of
from web.requests.answers import wants_json
from web.requests.refusals import API

SESSION_KEY = "refused_form"
PARAMETER = "refused"
REFUSED = frozenset({422, 507})
ANSWERED_ANEW = REFUSED | {405}
LARGEST = 20_000  # bytes of a compressed page; a larger one is answered as it is
KEPT_FOR = timedelta(hours=1)


def show_refused_again(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """A middleware, below those of the session and the login."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        _forget_old(request)
        kept = _kept(request)
        if kept is not None:
            return kept
        response = get_response(request)
        # Most answers end here.
        if response.status_code not in ANSWERED_ANEW or not isinstance(response, HttpResponse):
            return response
        if request.path.startswith(API) or wants_json(request) or "HX-Request" in request.headers:
            return response
        if _is_refused_form(request, response):
            return _keep(request, response)
        if response.status_code == 405 and request.method == "GET":
            with in_language_of(request):
                response.content = loader.render_to_string("405.html")
        return response

    return middleware


def _is_refused_form(request: HttpRequest, response: HttpResponse) -> bool:
    return (
        request.method == "POST"
        and response.status_code in REFUSED
        and request.headers.get("Sec-Fetch-Mode") == "navigate"
    )


def _keep(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    compressed = zlib.compress(response.content, zlib.Z_BEST_COMPRESSION)
    if len(compressed) > LARGEST:
        return response
    name = secrets.token_urlsafe(8)
    request.session[SESSION_KEY] = {
        "name": name,
        "path": request.path,
        "status": response.status_code,
        "page": base64.b64encode(compressed).decode("ascii"),
        "until": (timezone.now() + KEPT_FOR).timestamp(),
    }
    return HttpResponseRedirect(f"{request.path}?{PARAMETER}={name}")


def _forget_old(request: HttpRequest) -> None:
    kept = request.session.get(SESSION_KEY)
    if kept and kept.get("until", 0) < timezone.now().timestamp():
        del request.session[SESSION_KEY]


def _kept(request: HttpRequest) -> HttpResponse | None:
    """The answer that the address names, if this session has it."""
    if request.method not in ("GET", "HEAD") or PARAMETER not in request.GET:
        return None
    kept = request.session.get(SESSION_KEY, {})
    if (kept.get("name"), kept.get("path")) != (request.GET[PARAMETER], request.path):
        return None
    page = zlib.decompress(base64.b64decode(kept["page"]))
    return HttpResponse(page, status=kept["status"])
