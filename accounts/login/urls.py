"""Below `/accounts/`. The names `account_…` and `mfa_…` are those that django-allauth looks for."""

from __future__ import annotations

from allauth.account import views as account_views
from django.urls import URLPattern, URLResolver, include, path, re_path

from accounts.login import views

_login = views.Login.as_view()
_logout = views.Logout.as_view()

urlpatterns: list[URLPattern | URLResolver] = [
    path("login/", _login, name="login"),
    path("login/", _login, name="account_login"),
    path("logout/", _logout, name="logout"),
    path("logout/", _logout, name="account_logout"),
    path("reauthenticate/", account_views.reauthenticate, name="account_reauthenticate"),
    path("email/", account_views.email, name="account_email"),
    re_path(
        r"^email/confirm/(?P<key>[-:\w]+)/$",
        views.ConfirmEmail.as_view(),
        name="account_confirm_email",
    ),
    path("password/", views.PasswordChange.as_view(), name="account_change_password"),
    path("password/reset/", views.PasswordReset.as_view(), name="account_reset_password"),
    path(
        "password/reset/done/",
        account_views.password_reset_done,
        name="account_reset_password_done",
    ),
    re_path(
        r"^password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        account_views.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path(
        "password/changed/",
        account_views.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    path(
        "password/<int:person_id>/<int:made_by_id>/<str:link_token>/",
        views.new_password,
        name="new-password",
    ),
    path("second-factor/", include("allauth.mfa.urls")),
    path("sessions/", include("allauth.usersessions.urls")),
]
