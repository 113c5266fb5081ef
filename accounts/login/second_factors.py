"""People who must have a second factor, and have none yet.

A server can require one of everyone (SECOND_FACTOR_REQUIRED), a collection of its admins. The
middleware and the permission below check the first, `accounts/access.py` the second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from allauth.mfa.models import Authenticator
from allauth.usersessions.adapter import get_adapter
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.actions.subjects import about_person
from accounts.models import OWNERS, Collection, User
from accounts.passwords import API
from web.errors import UserFacingError
from web.languages.choice import in_language_of
from web.requests.answers import led_to, refusal, wants_json

if TYPE_CHECKING:  # rest_framework.views reads the setting that names the permission below
    from rest_framework.views import APIView

OPEN_BEFORE = {
    *("login", "logout", "account_reauthenticate", "account_change_password", "new-password"),
    *("institution-confirm", "institution-login", "openid_connect_callback"),
    *("saml_acs", "saml_finish_acs"),
    *("help", "help-index", "help-picture", "stop-notices"),
}


class SecondFactorRequired(UserFacingError):
    """The API says it in English, and a page in the language of the person."""

    status: ClassVar[int] = 403

    def __init__(self, message: str, **values: object) -> None:
        super().__init__(message % values)
        self.message, self.values = message, values


def has_second_factor(person: User) -> bool:
    """An app or a passkey. Recovery codes only exist beside one of these."""
    kinds = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
    return bool(Authenticator.objects.filter(user=person, type__in=kinds).exists())


def remove_second_factors(*, person: User) -> int:
    """Remove the app, the passkeys and the recovery codes. Returns how many of these there were."""
    with transaction.atomic():
        number, _ = Authenticator.objects.filter(user=person).delete()
        if number:
            record_action(kind=ActionKind.SECOND_FACTOR_RESET, subject=about_person(person))
    return int(number)


def end_other_sessions(sender: Any, request: HttpRequest, user: User, **kwargs: Any) -> None:
    """A receiver: a login from before the second factor ends, as it never proved one."""
    others = UserSession.objects.filter(user=user).exclude(session_key=request.session.session_key)
    get_adapter().end_sessions(list(others))


def check_second_factor(collection: Collection, person: User) -> None:
    """Raise SecondFactorRequired for an admin without one, if the collection requires it."""
    if not collection.admins_need_second_factor:
        return
    is_owner = collection.memberships.filter(user=person, role__in=OWNERS).exists()
    if is_owner and not has_second_factor(person):
        raise SecondFactorRequired(
            gettext_noop(
                "%(collection)s requires a second factor of its admins. Set one up first."
            ),
            collection=collection,
        )


def check_server_rule(person: User) -> None:
    """Raise SecondFactorRequired for everyone without one, if the server requires it."""
    if settings.SECOND_FACTOR_REQUIRED and not has_second_factor(person):
        message = gettext_noop("This server requires a second factor. Set one up first.")
        raise SecondFactorRequired(message)


class RequireSecondFactor:
    """Middleware: until a required second factor is set up, pages redirect to where that is done.

    The API is exempt. `HasSecondFactor` below rejects its requests.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        if not settings.SECOND_FACTOR_REQUIRED or request.path.startswith(API):
            return None
        name = (request.resolver_match and request.resolver_match.url_name) or ""
        if name in OPEN_BEFORE or name.startswith("mfa_") or not isinstance(request.user, User):
            return None
        try:
            check_server_rule(request.user)
        except SecondFactorRequired as error:
            return set_up_first(request, error)
        return None

    def process_exception(
        self, request: HttpRequest, exception: Exception
    ) -> HttpResponseBase | None:
        if isinstance(exception, SecondFactorRequired):
            return set_up_first(request, exception)
        return None


def set_up_first(request: HttpRequest, error: SecondFactorRequired) -> HttpResponse:
    """To the page where a second factor is set up; a script gets JSON."""
    with in_language_of(request):
        message = gettext(error.message) % error.values
    if wants_json(request):
        return refusal(request, type(error).__name__, message, status=error.status)
    if "HX-Request" not in request.headers:
        messages.warning(request, message)
    return led_to(request, reverse("mfa_index"))


class HasSecondFactor(BasePermission):
    def has_permission(self, request: Request, view: APIView) -> bool:
        if isinstance(request.user, User):
            check_server_rule(request.user)
        return True
