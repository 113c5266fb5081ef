"""The mails that a server without EMAIL_URL wrote as files. For staff, and never in production."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import person_of, row_or_404
from accounts.mail.files import written_mail, written_mails


def _for_staff(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """404 for others: the mails have links that give access to the accounts of all people."""

    @wraps(view)
    def wrapped(request: HttpRequest, **arguments: Any) -> HttpResponse:
        if not settings.SHOWS_MAILS or not person_of(request).is_staff:
            raise Http404("no mails here")
        return view(request, **arguments)

    return wrapped


@_for_staff
@require_safe
@never_cache
def mails(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/mails.html", {"mails": written_mails()})


@_for_staff
@require_safe
@never_cache
def mail(request: HttpRequest, mail_name: str) -> HttpResponse:
    found = row_or_404(written_mail(mail_name), f"no mail {mail_name}")
    return render(request, "accounts/mail.html", {"mail": found})
