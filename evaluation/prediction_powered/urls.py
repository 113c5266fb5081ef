"""Below `/c/<slug>/evaluation/shadow-judges/judge/<name>/estimates/`."""

from __future__ import annotations

from django.urls import URLPattern, path

from evaluation.label_effects.pages import CSV, JSON
from evaluation.prediction_powered import views

urlpatterns: list[URLPattern] = [
    path("", views.show_estimates, name="estimates"),
    path("compute/", views.compute_estimates, name="compute-estimates"),
    path("figures/<slug:figure>.<slug:extension>", views.estimates_figure, name="estimates-figure"),
    path("report.csv", views.estimates_file, {"extension": CSV}, name="estimates-csv"),
    path("report.json", views.estimates_file, {"extension": JSON}, name="estimates-json"),
]
