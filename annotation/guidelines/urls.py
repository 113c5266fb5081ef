from __future__ import annotations

from django.urls import URLPattern, path

from annotation.guidelines import views

urlpatterns: list[URLPattern] = [
    path("guidelines/", views.guidelines, name="guidelines"),
    path("guidelines/<slug:facet>/", views.guideline, name="guideline"),
    path("guidelines/<slug:facet>/apply/", views.apply, name="apply-guideline"),
    path("guidelines/<slug:facet>/text/", views.guideline_text, name="guideline-text"),
]
