"""Below `/c/<slug>/judgments/`."""

from __future__ import annotations

from django.urls import URLPattern, path

from adjudication import judgment_views

urlpatterns: list[URLPattern] = [
    path("import/", judgment_views.import_judgments, name="import-judgments"),
]
