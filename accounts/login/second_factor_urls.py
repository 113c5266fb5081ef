"""Below `/accounts/second-factor/`: django-allauth's pages, with the names that it looks for.

Pages that add or remove something are `recorded`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.mfa.base import views as base
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as app
from allauth.mfa.webauthn import views as passkeys
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods, require_safe

from accounts.login.recorded_changes import SECOND_FACTORS, recorded
from web.languages.choice import translated_paths

View = Callable[..., HttpResponseBase]


def _or_overview(view: View) -> View:
    """Lead to the overview from the page of a second factor that the person does not have."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except Http404:
            return redirect("mfa_index")

    return wrapped


# Most of these views look at the person before the method.
_form = require_http_methods(["GET", "HEAD", "POST"])


def _changing(view: View) -> View:
    return _form(recorded(SECOND_FACTORS)(view))


_pages: list[URLPattern] = [
    path("", base.index, name="mfa_index"),
    path("code/", _form(base.authenticate), name="mfa_authenticate"),
    path("confirm/", _form(base.reauthenticate), name="mfa_reauthenticate"),
    path("app/", _changing(app.activate_totp), name="mfa_activate_totp"),
    path("app/remove/", _changing(_or_overview(app.deactivate_totp)), name="mfa_deactivate_totp"),
    path(
        "recovery-codes/",
        require_safe(_or_overview(codes.view_recovery_codes)),
        name="mfa_view_recovery_codes",
    ),
    path(
        "recovery-codes/new/",
        _changing(codes.generate_recovery_codes),
        name="mfa_generate_recovery_codes",
    ),
    path(
        "recovery-codes/download/",
        require_safe(_or_overview(codes.download_recovery_codes)),
        name="mfa_download_recovery_codes",
    ),
    path("passkeys/", passkeys.list_webauthn, name="mfa_list_webauthn"),
    path("passkeys/add/", _changing(passkeys.add_webauthn), name="mfa_add_webauthn"),
    path(
        "passkeys/confirm/",
        _form(passkeys.reauthenticate_webauthn),
        name="mfa_reauthenticate_webauthn",
    ),
    path("passkeys/<int:pk>/", _form(passkeys.edit_webauthn), name="mfa_edit_webauthn"),
    path(
        "passkeys/<int:pk>/remove/",
        _changing(passkeys.remove_webauthn),
        name="mfa_remove_webauthn",
    ),
    path("passkeys/login/", _form(passkeys.login_webauthn), name="mfa_login_webauthn"),
]
urlpatterns: list[URLPattern] = translated_paths(_pages)
