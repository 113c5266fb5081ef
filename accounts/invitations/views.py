"""The page of an invitation's link. Opening it accepts nothing."""

from __future__ import annotations

from typing import Any

from allauth.account.internal.flows.login import perform_login, record_authentication
from allauth.account.models import EmailAddress, Login
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.invitations.forms import NewAccountForm
from accounts.invitations.models import Invitation
from accounts.invitations.services import (
    EmailInUse,
    InvitationNotValid,
    accept,
    accept_with_new_account,
    invitation_of,
    welcome,
)
from accounts.models import Role, User
from accounts.services import NameTaken
from web.errors import UserFacingError
from web.languages.choice import translated

PAGE = "accounts/invitation.html"


@login_not_required
@translated
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, link_token: str) -> HttpResponseBase:
    try:
        found = invitation_of(link_token)
        if isinstance(request.user, User):
            return _for_a_person(request, found, link_token, request.user)
        return _for_a_stranger(request, found, link_token)
    except InvitationNotValid as error:
        return render(request, PAGE, {"error": str(error)}, status=error.status)


def _for_a_person(
    request: HttpRequest, found: Invitation, token: str, person: User
) -> HttpResponse:
    error = ""
    if request.method == "POST":
        try:
            accept(invitation=found, person=person)
        except InvitationNotValid:
            raise
        except UserFacingError as refusal:
            error = str(refusal)
        else:
            _welcome(request, found)
            return redirect("collection", found.collection.slug)
    emails = EmailAddress.objects.filter(user=person, verified=True)
    is_own = emails.filter(email=found.email).exists()
    context = {**_about(found), "refused": error, "is_own_email": is_own}
    return render(request, PAGE, context, status=409 if error else 200)


def _for_a_stranger(request: HttpRequest, found: Invitation, token: str) -> HttpResponseBase:
    form = NewAccountForm(
        request.POST or None,
        slug=found.collection.slug,
        email=found.email,
        initial={"name": found.name},
    )
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        try:
            person = accept_with_new_account(
                invitation=found,
                username=values["username"],
                name=values["name"],
                password=values["password"],
            )
        except NameTaken as error:
            form.add_error("username", str(error))
        except EmailInUse as error:
            form.add_error(None, str(error))
        else:
            _welcome(request, found)
            return _log_in(request, person, found)
    login = f"{reverse('login')}?{urlencode({'next': request.path})}"
    context = {
        **_about(found),
        "form": form,
        "login_url": login,
        "institution_logins": settings.INSTITUTION_LOGINS.values(),
    }
    return render(request, PAGE, context, status=422 if form.errors else 200)


def _log_in(request: HttpRequest, person: User, found: Invitation) -> HttpResponse:
    """The person has just chosen the password, so it is not asked for again."""
    record_authentication(request, person, method="invitation")
    collection = reverse("collection", args=[found.collection.slug])
    login = Login(user=person, email=found.email, redirect_url=collection)
    response: HttpResponse = perform_login(request, login)
    return response


def _about(found: Invitation) -> dict[str, Any]:
    return {
        "invitation": found,
        "inviter": found.invited_by.shown_name if found.invited_by else "",
        "collection_name": found.collection.name,
        "role": Role(found.role).phrase,
    }


def _welcome(request: HttpRequest, found: Invitation) -> None:
    messages.success(request, welcome(found))
