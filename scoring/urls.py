from __future__ import annotations

from django.urls import URLResolver, include, path

urlpatterns: list[URLResolver] = [
    path("evaluation/systems/", include("scoring.systems.urls")),
    path("evaluation/baselines/", include("scoring.baselines.urls")),
]
