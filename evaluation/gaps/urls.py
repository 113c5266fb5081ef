"""Below `/c/<slug>/evaluation/gaps/`."""

from __future__ import annotations

from django.urls import URLPattern, path

from evaluation.gaps import views

urlpatterns: list[URLPattern] = [
    path("", views.show_gaps, name="gaps"),
    path("compute/", views.compute_gaps, name="compute-gaps"),
    path("report.json", views.gaps_json, name="gaps-json"),
]
