from __future__ import annotations

from django.urls import URLPattern, path

from accounts import views
from accounts.tokens import views as tokens

urlpatterns: list[URLPattern] = [
    path("", views.account, name="account"),
    path("tokens/", tokens.tokens, name="tokens"),
    path("tokens/<int:token_id>/revoke/", tokens.revoke_token, name="revoke-token"),
]
