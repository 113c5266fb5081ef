"""Below `/c/<slug>/blind-ratings/`."""

from __future__ import annotations

from django.urls import URLPattern, path

from adjudication.blind import views

urlpatterns: list[URLPattern] = [path("", views.blind_ratings, name="blind-ratings")]
