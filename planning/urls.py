from __future__ import annotations

from django.urls import URLPattern, path

from planning import comparison_views, model_choice_views

urlpatterns: list[URLPattern] = [
    path("runs/choose-models/", model_choice_views.choose_models, name="choose-models"),
    path(
        "runs/choose-models/figures/<slug:figure>.<slug:extension>",
        model_choice_views.models_figure,
        name="models-figure",
    ),
    path("pools/plan/compare/", comparison_views.compare_plans, name="compare-plans"),
]
