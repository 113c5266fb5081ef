from __future__ import annotations

from django.urls import URLPattern, path

from planning import comparison_views, model_choice_views
from planning.yields import views as yield_views

urlpatterns: list[URLPattern] = [
    path("runs/choose-models/", model_choice_views.choose_models, name="choose-models"),
    path(
        "runs/choose-models/figures/<slug:figure>.<slug:extension>",
        model_choice_views.models_figure,
        name="models-figure",
    ),
    # Not below "pools/", because any docno may follow there.
    path("yields/", yield_views.yields, name="yields"),
    path(
        "yields/figures/<slug:figure>.<slug:extension>",
        yield_views.yields_figure,
        name="yields-figure",
    ),
    path("pools/plan/compare/", comparison_views.compare_plans, name="compare-plans"),
]
