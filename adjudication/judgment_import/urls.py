"""Below `/c/<slug>/judgments/`."""

from __future__ import annotations

from django.urls import URLPattern, path

from adjudication.judgment_import import views as judgment_views

urlpatterns: list[URLPattern] = [
    path("import/", judgment_views.import_judgments, name="import-judgments"),
]
