"""Who is not logged in gets the login page, or, as a script of ours, JSON that echoes its key."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponseBase

from annotation.views import refusal, wants_json


class LoginRequired(LoginRequiredMiddleware):
    def handle_no_permission(  # type: ignore[override]  # the base class promises a redirect
        self, request: HttpRequest, view_func: Any
    ) -> HttpResponseBase:
        """A script cannot tell our redirect to a login from that of a portal; this it can."""
        if request.method == "POST" and wants_json(request):
            return refusal(request, "LoggedOut", "Your login has ended.", status=401)
        return super().handle_no_permission(request, view_func)
