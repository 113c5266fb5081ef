"""Below `/c/<slug>/`. The form of a question is below the address of its pair."""

from __future__ import annotations

from django.urls import URLPattern, path

from annotation.help_requests import admin_pages, views

urlpatterns: list[URLPattern] = [
    path("help-requests/", admin_pages.help_requests, name="help-requests"),
    path("help-requests/<int:help_request>/", admin_pages.help_request, name="help-request"),
    path("own-help-requests/", views.own_help_requests, name="own-help-requests"),
]
