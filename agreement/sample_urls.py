"""The page of a sample, below `/c/<slug>/samples/`. Its other pages are in `curation`."""

from __future__ import annotations

from django.urls import URLPattern, path

from agreement import sample_views

urlpatterns: list[URLPattern] = [
    path("named/<slug:sample>/", sample_views.sample, name="sample"),
]
