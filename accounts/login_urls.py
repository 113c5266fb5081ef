from __future__ import annotations

from django.contrib.auth import views as auth_views
from django.urls import URLPattern, path

from accounts import views

urlpatterns: list[URLPattern] = [
    path("login/", views.Login.as_view(), name="login"),
    path("logout/", auth_views.LogoutView.as_view(), name="logout"),
    path("password/", views.PasswordChange.as_view(), name="password_change"),
    path(
        "password/done/", auth_views.PasswordChangeDoneView.as_view(), name="password_change_done"
    ),
    path(
        "password/<int:person_id>/<int:made_by_id>/<str:link_token>/",
        views.new_password,
        name="new-password",
    ),
]
