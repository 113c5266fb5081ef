"""The mails that a server without EMAIL_URL wrote as files. For staff, and never in production."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import person_of, row_or_404
from accounts.mail.files import written_mail, written_mails


@require_safe
@never_cache
def mails(request: HttpRequest) -> HttpResponse:
    _check_may_read(request)
    return render(request, "accounts/mails.html", {"mails": written_mails()})


@require_safe
@never_cache
def mail(request: HttpRequest, mail_name: str) -> HttpResponse:
    _check_may_read(request)
    found = row_or_404(written_mail(mail_name), f"no mail {mail_name}")
    return render(request, "accounts/mail.html", {"mail": found})


def _check_may_read(request: HttpRequest) -> None:
    """The mails of all people are here, with links that give access to their accounts."""
    if not settings.SHOWS_MAILS or not person_of(request).is_staff:
        raise Http404("no mails here")
