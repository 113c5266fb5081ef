"""Below `/c/<slug>/evaluation/label-effects/`."""

from __future__ import annotations

from django.urls import URLPattern, path

from evaluation.label_effects import views
from evaluation.label_effects.pages import CSV, JSON

urlpatterns: list[URLPattern] = [
    path("", views.label_effects, name="label-effects"),
    path("compute/", views.compute_label_effects, name="compute-label-effects"),
    path(
        "figures/<slug:figure>.<slug:extension>",
        views.label_effects_figure,
        name="label-effects-figure",
    ),
    path("report.csv", views.label_effects_file, {"extension": CSV}, name="label-effects-csv"),
    path("report.json", views.label_effects_file, {"extension": JSON}, name="label-effects-json"),
]
