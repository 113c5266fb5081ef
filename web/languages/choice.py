"""The language of a page: the person's, the browser's, or else English.

A view must be marked with `translated`, because most pages are for admins and in English only. A
page that is marked is in one language as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.template.response import SimpleTemplateResponse
from django.urls import URLPattern
from django.utils import translation
from django.utils.translation import get_supported_language_variant
from django.utils.translation.trans_real import parse_accept_lang_header

COOKIE = "language"
View = Callable[..., HttpResponseBase]


def language_of(request: HttpRequest) -> str:
    """The code of the language in which this person reads."""
    # An error page must not ask the database who the person is.
    user = getattr(request, "_cached_user", None)
    chosen = getattr(user, "language", "") or request.COOKIES.get(COOKIE)
    if chosen in dict(settings.LANGUAGES):
        return str(chosen)
    for code, _ in parse_accept_lang_header(request.headers.get("Accept-Language", "")):
        if code == "*":
            break
        try:
            return str(get_supported_language_variant(code))
        except LookupError:
            continue
    return str(settings.LANGUAGE_CODE)


def language_of_person(person: object) -> str:
    """The code of the language that a person has chosen, for a mail. Without a choice, English."""
    chosen = getattr(person, "language", "")
    return str(chosen) if chosen in dict(settings.LANGUAGES) else str(settings.LANGUAGE_CODE)


def in_language_of(request: HttpRequest) -> AbstractContextManager[None]:
    """The language of the person who sent the request, for as long as the block takes."""
    language = language_of(request)
    if language == settings.LANGUAGE_CODE:
        # Nothing is active between two requests, so there is nothing to set or to take back.
        return nullcontext()
    return translation.override(language, deactivate=True)


def in_english(request: HttpRequest) -> AbstractContextManager[None]:
    """English, for a page that a view of all roles shows to admins."""
    request.is_translated = False  # type: ignore[attr-defined]
    return translation.override(settings.LANGUAGE_CODE)


def translated(view: View) -> View:
    """Mark a view whose page exists in every language."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.GET.get("format") == "csv":
            return view(request, *args, **kwargs)  # a data file, which programs read
        request.is_translated = True  # type: ignore[attr-defined]
        with in_language_of(request):
            response = view(request, *args, **kwargs)
            if isinstance(response, SimpleTemplateResponse):
                response.render()  # django-allauth's pages are else made after this block
            return response

    return wrapped


def translated_paths(patterns: Iterable[URLPattern]) -> list[URLPattern]:
    """The same addresses, with each view marked with `translated`."""
    return [
        URLPattern(each.pattern, translated(each.callback), each.default_args, each.name)
        for each in patterns
    ]
