"""The account page."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts import services
from accounts.access import person_of
from accounts.codes import account_code
from accounts.forms import NameForm
from accounts.institution.proof import institution_context
from web.languages.choice import translated


@translated
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    person = person_of(request)
    form = NameForm(request.POST or None, initial={"name": person.get_full_name()})
    if request.method == "POST" and form.is_valid():
        services.rename_person(person=person, name=form.cleaned_data["name"])
        message = gettext("Saved. Others here see you as %(name)s.")
        messages.success(request, message % {"name": person.shown_name})
        return redirect("account")
    return _account_page(request, form, status=422 if form.errors else 200)


def _account_page(request: HttpRequest, form: NameForm, *, status: int = 200) -> HttpResponse:
    person = person_of(request)
    memberships = person.memberships.select_related("collection")
    return render(
        request,
        "accounts/account.html",
        {
            "form": form,
            "code": account_code(person),
            "tokens": person.api_tokens.valid(timezone.now()).count(),
            "emails": EmailAddress.objects.filter(user=person).order_by("-primary", "email"),
            "factors": set(
                Authenticator.objects.filter(user=person).values_list("type", flat=True)
            ),
            "has_password": person.has_usable_password(),
            **institution_context(person),
            "memberships": memberships.order_by("collection__name", "role"),
        },
        status=status,
    )
