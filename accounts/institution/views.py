"""The pages of a login at an institution: the way there, the way back, and its links."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import cast

from allauth.account.decorators import reauthentication_required
from allauth.account.utils import get_next_redirect_url
from allauth.core.internal import ratelimit
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.base import AuthProcess
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotAllowed,
    HttpResponseRedirect,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person_of
from accounts.institution.adapter import logins, not_answering, not_valid
from accounts.institution.services import OnlyWayIn, unlink_identity

View = Callable[..., HttpResponseBase]


def _explained(view: View) -> View:
    """404 without such a login, and a page instead of an error of the provider.

    The only parameter of the address is the key. django-allauth chose its name.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, **parameters: str) -> HttpResponseBase:
        (key,) = parameters.values()
        login = logins().get(key)
        if login is None:
            raise Http404
        try:
            return view(request, key)
        except OSError as error:  # of requests and urllib, too
            return not_answering(request, login, error)
        except (PermissionDenied, LookupError, ValueError) as error:
            return not_valid(request, login, f"{type(error).__name__} {error}")

    return wrapped


def _throttled(view: View) -> View:
    """Answer 429 to a network that asks too often (ACCOUNT_RATE_LIMITS).

    Each of these requests of a stranger stores a session, and some ask the provider.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, **parameters: str) -> HttpResponseBase:
        if not ratelimit.consume(
            request, app="allauth.account", action="institution", limit_get=True
        ):
            return cast("HttpResponseBase", ratelimit.respond_429(request))
        return view(request, **parameters)

    return wrapped


def _is_linking(request: HttpRequest) -> bool:
    return request.user.is_authenticated and request.POST.get("process") == AuthProcess.CONNECT


@login_not_required
@never_cache
@_throttled
@_explained
@require_POST
@reauthentication_required(app="allauth.socialaccount", enabled=_is_linking)
def log_in(request: HttpRequest, key: str) -> HttpResponseBase:
    """Lead to the provider, from a page of our own.

    A redirect would not do: the policy of our pages lets forms lead to this server only.
    """
    process = AuthProcess.CONNECT if _is_linking(request) else AuthProcess.LOGIN
    provider = get_adapter().get_provider(request, key)
    answer = provider.redirect(request, process, next_url=get_next_redirect_url(request))
    if isinstance(answer, HttpResponseRedirect):
        context = {"login": logins()[key], "address": answer.url}
        answer = render(request, "accounts/institution_redirect.html", context)
    return cast("HttpResponseBase", answer)


@login_not_required
@never_cache
@_throttled
@_explained
@require_safe
def oidc_callback(request: HttpRequest, key: str) -> HttpResponseBase:
    from accounts.institution.oidc import finish

    return finish(request, key)


@login_not_required
@csrf_exempt
@never_cache
@_throttled
@_explained
@require_POST
def saml_response(request: HttpRequest, key: str) -> HttpResponseBase:
    """Keep what the provider lets the browser post here. It is read on the next page."""
    from accounts.institution.saml import receive

    return receive(request, key)


@login_not_required
@never_cache
@_throttled
@_explained
@require_safe
def saml_finish(request: HttpRequest, key: str) -> HttpResponseBase:
    from accounts.institution.saml import finish

    return finish(request, key)


@login_not_required
@_explained
@require_safe
def saml_metadata(request: HttpRequest, key: str) -> HttpResponseBase:
    from accounts.institution.saml import own_metadata

    provider = get_adapter().get_provider(request, key)
    return HttpResponse(own_metadata(request, provider), content_type="text/xml")


@login_not_required
def not_offered(request: HttpRequest, organization_slug: str) -> HttpResponseBase:
    """django-allauth wants a name for the address where a provider would log people out."""
    raise Http404


@never_cache
@require_safe
def confirm(request: HttpRequest) -> HttpResponse:
    """A person without a password shows again who he or she is: with another login."""
    links = SocialAccount.objects.filter(user=person_of(request))
    keys = set(links.values_list("provider", flat=True))
    context = {
        "logins": [login for login in logins().values() if login.key in keys],
        "next": get_next_redirect_url(request) or "",
    }
    return render(request, "accounts/institution_confirm.html", context)


def unlink(request: HttpRequest, link_id: int) -> HttpResponse:
    link = get_object_or_404(SocialAccount, pk=link_id, user=person_of(request))
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    try:
        unlink_identity(link=link)
    except OnlyWayIn as error:
        messages.error(request, str(error))
    else:
        messages.success(request, gettext("The link is removed. You log in with your password."))
    return redirect("account")
