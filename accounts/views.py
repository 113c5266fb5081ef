"""The account page."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from rest_framework.authtoken.models import Token

from accounts import services
from accounts.access import person_of
from accounts.codes import account_code
from accounts.forms import NameForm


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    person = person_of(request)
    form = NameForm(request.POST or None, initial={"name": person.get_full_name()})
    if request.method == "POST" and form.is_valid():
        services.rename_person(person=person, name=form.cleaned_data["name"])
        messages.success(request, f"Saved. Others here see you as {person.shown_name}.")
        return redirect("account")
    return _account_page(request, form, status=422 if form.errors else 200)


@never_cache
@require_POST
def make_token(request: HttpRequest) -> HttpResponse:
    # Only this response shows the token. A reload makes another token.
    person = person_of(request)
    token = services.make_api_token(person=person)
    return _account_page(request, NameForm(initial={"name": person.get_full_name()}), token=token)


@require_POST
def revoke_token(request: HttpRequest) -> HttpResponse:
    if services.revoke_api_token(person=person_of(request)):
        messages.success(request, "API token revoked. Programs that used it can no longer log in.")
    else:
        messages.info(request, "You have no API token to revoke.")
    return redirect("account")


def _account_page(
    request: HttpRequest, form: NameForm, *, token: str = "", status: int = 200
) -> HttpResponse:
    person = person_of(request)
    memberships = person.memberships.select_related("collection")
    return render(
        request,
        "accounts/account.html",
        {
            "form": form,
            "token": token,
            "code": account_code(person),
            "held_token": Token.objects.filter(user=person).first(),
            "emails": EmailAddress.objects.filter(user=person).order_by("-primary", "email"),
            "factors": set(
                Authenticator.objects.filter(user=person).values_list("type", flat=True)
            ),
            "memberships": memberships.order_by("collection__name", "role"),
        },
        status=status,
    )
