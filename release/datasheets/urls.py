"""Below `/c/<slug>/datasheet/`, for admins."""

from __future__ import annotations

from django.urls import URLPattern, path

from release.datasheets import views

urlpatterns: list[URLPattern] = [
    path("", views.datasheet, name="datasheet"),
    path("threshold/", views.threshold, name="profile-threshold"),
]
