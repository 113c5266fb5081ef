"""Below `/c/<slug>/evaluation/corpus-sizes/`."""

from __future__ import annotations

from django.urls import URLPattern, path

from evaluation.corpus_sizes import views

urlpatterns: list[URLPattern] = [
    path("", views.corpus_sizes, name="corpus-sizes"),
    path("measure/", views.measure_corpus_sizes, name="measure-corpus-sizes"),
    path(
        "figures/<slug:figure>.<slug:extension>",
        views.corpus_sizes_figure,
        name="corpus-sizes-figure",
    ),
    path(
        "report.json",
        views.corpus_sizes_file,
        {"extension": "json"},
        name="corpus-sizes-json",
    ),
    path("report.csv", views.corpus_sizes_file, {"extension": "csv"}, name="corpus-sizes-csv"),
]
