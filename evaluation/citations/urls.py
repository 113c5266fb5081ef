"""Below `/c/<slug>/evaluation/cited-papers/`."""

from __future__ import annotations

from django.urls import URLPattern, path

from evaluation.citations import views
from evaluation.label_effects.pages import CSV, JSON

urlpatterns: list[URLPattern] = [
    path("", views.cited_papers, name="cited-papers"),
    path("compute/", views.compute_cited_papers, name="compute-cited-papers"),
    path(
        "figures/<slug:figure>.<slug:extension>",
        views.cited_papers_figure,
        name="cited-papers-figure",
    ),
    path("report.csv", views.cited_papers_file, {"extension": CSV}, name="cited-papers-csv"),
    path("report.json", views.cited_papers_file, {"extension": JSON}, name="cited-papers-json"),
]
