from __future__ import annotations

from django.urls import URLPattern, path

from scoring.baselines import views

urlpatterns: list[URLPattern] = [
    path("", views.baselines, name="baselines"),
    path("make/", views.make, name="make-baselines"),
]
