"""Below `/c/<slug>/agreement/consistency/`."""

from __future__ import annotations

from django.urls import URLPattern, path

from agreement.consistency import views

urlpatterns: list[URLPattern] = [
    path("", views.consistency, name="consistency"),
    path("compute/", views.compute_consistency, name="compute-consistency"),
    path("consistency.json", views.consistency_json, name="consistency-json"),
    path(
        "figures/<slug:figure>.<slug:extension>",
        views.consistency_figure,
        name="consistency-figure",
    ),
]
