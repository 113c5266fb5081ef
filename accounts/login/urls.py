"""Below `/accounts/`. The names `account_…` and `mfa_…` are those that django-allauth looks for."""

from __future__ import annotations

from allauth.account import views as account_views
from allauth.usersessions.views import list_usersessions
from django.urls import URLPattern, URLResolver, include, path, register_converter
from django.urls.converters import StringConverter
from django.views.decorators.http import require_http_methods

from accounts.login import views
from accounts.login.recorded_changes import CONFIRMED_EMAILS, recorded
from web.languages.choice import translated_paths


class Base36Converter(StringConverter):
    """The number of a person in a link. It ends at the first hyphen."""

    regex = "[0-9A-Za-z]+"


register_converter(Base36Converter, "base36")
_login = views.Login.as_view()
_logout = views.Logout.as_view()

_pages: list[URLPattern] = [
    path("login/", _login, name="login"),
    path("login/", _login, name="account_login"),
    path("logout/", _logout, name="logout"),
    path("logout/", _logout, name="account_logout"),
    path("reauthenticate/", account_views.reauthenticate, name="account_reauthenticate"),
    path("email/", recorded(CONFIRMED_EMAILS)(account_views.email), name="account_email"),
    path("email/confirm/<str:key>/", views.ConfirmEmail.as_view(), name="account_confirm_email"),
    path("password/", views.PasswordChange.as_view(), name="account_change_password"),
    path("password/reset/", views.PasswordReset.as_view(), name="account_reset_password"),
    path(
        "password/reset/done/",
        account_views.password_reset_done,
        name="account_reset_password_done",
    ),
    path(
        "password/reset/<base36:uidb36>-<str:key>/",
        require_http_methods(["GET", "HEAD", "POST"])(account_views.password_reset_from_key),
        name="account_reset_password_from_key",
    ),
    path(
        "password/changed/",
        account_views.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    path("sessions/", list_usersessions, name="usersessions_list"),
    path(
        "password/<int:person_id>/<int:made_by_id>/<str:link_token>/",
        views.new_password,
        name="new-password",
    ),
]
urlpatterns: list[URLPattern | URLResolver] = [
    *translated_paths(_pages),
    path("second-factor/", include("accounts.login.second_factor_urls")),
    path("institution/", include("accounts.institution.urls")),
]
