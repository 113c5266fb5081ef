"""One's own account: name, log-in, tokens for scripts, asking to be erased."""

from __future__ import annotations

from allauth.account.decorators import reauthentication_required
from allauth.account.models import EmailAddress
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from accounts import erasing, services
from accounts.access import CollectionRequest
from accounts.forms import NameForm, TokenForm
from accounts.models import Token
from accounts.record import factors_of


def account(request: CollectionRequest) -> HttpResponse:
    user = request.user
    form = NameForm(request.POST or None, instance=user)
    if form.is_valid():
        form.save()
        messages.success(request, "Saved.")
        return redirect("account")
    context = {
        "form": form,
        "token_form": TokenForm(auto_id="token_%s"),
        "tokens": Token.objects.filter(user=user),
        "factors": factors_of(user),
        "is_confirmed": EmailAddress.objects.filter(user=user, email=user.email.lower(), verified=True).exists(),
    }
    return render(request, "accounts/account.html", context)


@require_POST
@reauthentication_required(app="allauth.account")
def make_token(request: CollectionRequest) -> HttpResponse:
    form = TokenForm(request.POST)
    if not form.is_valid():
        return render(request, "accounts/token.html", {"form": form}, status=400)
    token, text = services.make_token(user=request.user, **form.cleaned_data)
    return render(request, "accounts/token.html", {"token": token, "text": text})


@require_POST
def revoke_token(request: CollectionRequest) -> HttpResponse:
    services.revoke_token(user=request.user, digest=request.POST.get("digest", ""))
    messages.success(request, "The token is revoked. It no longer works.")
    return redirect("account")


@require_POST
def ask_erasure(request: CollectionRequest) -> HttpResponse:
    """Ask to be erased, or take that back."""
    erasing.ask_erasure(person=request.user, is_asked="withdraw" not in request.POST)
    return redirect("account")
