from __future__ import annotations

from django.urls import URLPattern, path

from evaluation import plan_views, views

urlpatterns: list[URLPattern] = [
    path("runs/choose-models/", views.choose_models, name="choose-models"),
    path(
        "runs/choose-models/figures/<slug:figure>.<slug:extension>",
        views.models_figure,
        name="models-figure",
    ),
    path("pools/plan/compare/", plan_views.compare_plans, name="compare-plans"),
]
