from __future__ import annotations

from django.urls import URLPattern, path

from evaluation.significance import views

urlpatterns: list[URLPattern] = [
    path("", views.significance, name="significance"),
    path("systems.csv", views.significance_csv, name="significance-csv"),
    path("all-pairs.csv", views.all_pairs_csv, name="all-pairs-csv"),
]
