from __future__ import annotations

from django.urls import URLPattern, path

from notices import views

urlpatterns: list[URLPattern] = [
    path("", views.notice_choice, name="notice-choice"),
    path("stop/<str:stop_token>/", views.stop_notices, name="stop-notices"),
]
