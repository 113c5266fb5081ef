"""Below `/c/<slug>/agreement/alignment/`."""

from __future__ import annotations

from django.urls import URLPattern, path

from agreement.alignment import views

urlpatterns: list[URLPattern] = [
    path("", views.alignment, name="alignment"),
    path("compute/", views.compute_alignment, name="compute-alignment"),
    path("alignment.json", views.alignment_json, name="alignment-json"),
]
