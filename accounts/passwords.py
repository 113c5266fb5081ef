"""A one-time password must be changed first, and a new password ends the API tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext
from rest_framework.exceptions import APIException
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts.models import User
from accounts.tokens.services import revoke_all_tokens
from web.requests.answers import led_to

if TYPE_CHECKING:  # rest_framework.views reads the setting that names the permission below
    from rest_framework.views import APIView

OPEN_BEFORE = {"account_change_password", "new-password", "login", "logout", "stop-notices"}
API = ("/api/v1/", "/api/schema/")


class EndApiTokens:
    """A "password validator", because Django calls all validators for every new password.

    Django calls it after the form, `manage.py changepassword` and code alike, but not when a login
    stores the same password with a newer hash. A trigger could not distinguish these.
    """

    def validate(self, password: str, user: User | None = None) -> None:
        """Accept every password."""

    def password_changed(self, password: str, user: User | None = None) -> None:
        if user is not None:
            revoke_all_tokens(person=user)

    def get_help_text(self) -> str:
        return gettext("Your API tokens, if you have any, stop working.")


class RequireOwnPassword:
    """Middleware: until a one-time password is changed, every page redirects to that form.

    The API is exempt. `HasOwnPassword` below rejects its requests.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        match = request.resolver_match
        if match is None or match.url_name in OPEN_BEFORE or request.path.startswith(API):
            return None
        if not (isinstance(request.user, User) and request.user.must_change_password):
            return None
        return led_to(request, reverse("account_change_password"))


class PasswordChangeRequired(APIException):
    status_code = 403
    default_detail = (
        "This account still has its one-time password. Log in in the browser and change it, "
        "then make a new API token."
    )
    default_code = "password_change_required"


class HasOwnPassword(BasePermission):
    def has_permission(self, request: Request, view: APIView) -> bool:
        if isinstance(request.user, User) and request.user.must_change_password:
            raise PasswordChangeRequired
        return True
