"""The page of one's API tokens."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, row_or_404
from accounts.tokens import services
from accounts.tokens.forms import TokenForm
from web.languages.choice import translated

REVOKED_SHOWN = 10


@translated
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    form = TokenForm(request.POST or None)
    if request.method != "POST":
        return _tokens_page(request, form)
    if not form.is_valid():
        return _tokens_page(request, form, status=422)
    fields = form.cleaned_data
    try:
        token = services.create_token(
            person=person_of(request), name=fields["name"], scope=fields["scope"], days=form.days
        )
    except services.TooManyTokens as error:
        form.add_error(None, str(error))
        return _tokens_page(request, form, status=error.status)
    # Only this response shows the token.
    return _tokens_page(request, TokenForm(), new_token=token)


@translated
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    token = row_or_404(person_of(request).api_tokens.filter(pk=token_id).first())
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    services.revoke_token(token=token)
    message = gettext("Token “%(name)s” revoked. Programs that used it can no longer log in.")
    messages.success(request, message % {"name": token.name})
    return redirect("tokens")


def _tokens_page(
    request: HttpRequest, form: TokenForm, *, new_token: str = "", status: int = 200
) -> HttpResponse:
    own = person_of(request).api_tokens
    return render(
        request,
        "accounts/tokens.html",
        {
            "form": form,
            "new_token": new_token,
            "tokens": own.unrevoked(),
            "revoked": own.exclude(revoked_at=None).order_by("-revoked_at")[:REVOKED_SHOWN],
        },
        status=status,
    )
