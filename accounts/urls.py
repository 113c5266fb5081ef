from __future__ import annotations

from django.urls import URLPattern, path

from accounts import views
from accounts.personal_data import views as personal_data
from accounts.tokens import views as tokens

urlpatterns: list[URLPattern] = [
    path("", views.account, name="account"),
    path("data/", personal_data.own_data, name="own-data"),
    path("data/download/", personal_data.download_own_data, name="download-own-data"),
    path("tokens/", tokens.tokens, name="tokens"),
    path("tokens/<int:token_id>/revoke/", tokens.revoke_token, name="revoke-token"),
]
