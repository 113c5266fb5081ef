from __future__ import annotations

from django.urls import URLPattern, path

from evaluation.error_browser import views

urlpatterns: list[URLPattern] = [
    path("", views.browser, name="error-browser"),
    path("tag/", views.tag, name="tag-error"),
    path("tags.csv", views.tags_csv, name="error-tags-csv"),
    path("counts.csv", views.counts_csv, name="error-counts-csv"),
]
