"""Require a login. Pages redirect to the login form; our scripts get JSON that echoes their key."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext

from web.languages.choice import in_language_of
from web.requests.answers import refusal, wants_json


class LoginRequired(LoginRequiredMiddleware):
    def handle_no_permission(  # type: ignore[override]  # the base class promises a redirect
        self, request: HttpRequest, view_func: Any
    ) -> HttpResponseBase:
        """Send JSON to scripts, which cannot tell our redirect from that of a captive portal."""
        if request.method == "POST" and wants_json(request):
            with in_language_of(request):
                message = gettext("You are logged out. Log in again.")
                return refusal(request, "LoggedOut", message, status=401)
        return super().handle_no_permission(request, view_func)
