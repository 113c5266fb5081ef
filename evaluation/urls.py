from __future__ import annotations

from django.urls import URLPattern, path

from evaluation import views

urlpatterns: list[URLPattern] = [
    path("runs/choose-models/", views.choose_models, name="choose-models"),
    path(
        "runs/choose-models/figures/<slug:figure>.<slug:extension>",
        views.models_figure,
        name="models-figure",
    ),
]
