"""The page on which a person chooses mails, and the page of the link that stops them."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts.access import person_of
from notices.choices import (
    StopLinkNotValid,
    change_choice,
    choice_of,
    person_of_stop_token,
    stop_mails,
)
from notices.forms import MailChoiceForm
from web.languages.choice import translated


@translated
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def notice_choice(request: HttpRequest) -> HttpResponse:
    person = person_of(request)
    initial = MailChoiceForm.initial_of(choice_of(person))
    form = MailChoiceForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        change_choice(user=person, **form.values())
        messages.success(request, gettext("Saved."))
        return redirect("notice-choice")
    address = EmailAddress.objects.filter(user=person, primary=True).first()
    return render(
        request,
        "notices/choice.html",
        {"form": form, "address": address},
        status=422 if form.errors else 200,
    )


@csrf_exempt  # a mail program sends the POST of RFC 8058, and the link has a signature
@login_not_required
@translated
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def stop_notices(request: HttpRequest, stop_token: str) -> HttpResponse:
    """Opening the link changes nothing, because mail programs and scanners open links."""
    try:
        if request.method == "POST":
            stop_mails(token=stop_token)
        else:
            person_of_stop_token(stop_token)
    except StopLinkNotValid as error:
        raise Http404(str(error)) from error
    return render(request, "notices/stop.html", {"is_stopped": request.method == "POST"})
