from __future__ import annotations

from django.urls import URLPattern, path

from accounts import views

urlpatterns: list[URLPattern] = [
    path("", views.account, name="account"),
    path("token/", views.make_token, name="make-token"),
    path("token/revoke/", views.revoke_token, name="revoke-token"),
]
