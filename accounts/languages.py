"""The choice of the language of the pages."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from accounts import services
from accounts.models import User
from web.languages.choice import COOKIE, language_of

A_YEAR = 365 * 24 * 3600  # seconds
CHOSEN = "chosen_language"  # in a session before the login


@login_not_required
@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Remember the language: for a person in the account, and for the login page in a cookie.

    It leads back to the page of the form, which the browser names. A field with the address would
    also be on pages for addresses that do not exist, which must not repeat what was asked for.
    """
    language = request.POST.get("language", "")
    address = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(address, {request.get_host()}, request.is_secure()):
        address = "/"
    response = HttpResponseRedirect(address)
    if language not in dict(settings.LANGUAGES):
        return response
    if isinstance(request.user, User):
        services.choose_language(person=request.user, language=language)
    else:
        request.session[CHOSEN] = language
    response.set_cookie(
        COOKIE,
        language,
        max_age=A_YEAR,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def remember_language(sender: Any, request: HttpRequest, user: User, **kwargs: Any) -> None:
    """A receiver: what was chosen before the login counts, also for another time and for mails.

    A person who never chose gets the browser's language, because a mail can ask no browser. English
    is not saved then, so that another browser can still decide.
    """
    language = request.session.pop(CHOSEN, "") or user.language
    if not language and (detected := language_of(request)) != settings.LANGUAGE_CODE:
        language = detected
    if language != user.language:
        services.choose_language(person=user, language=language)
