from __future__ import annotations

from django.urls import URLPattern, path

from planning import comparison_views, model_choice_views
from planning.double_judging import views as judging
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
    path("pools/plan/judging/", judging.plan_judging, name="plan-judging"),
    path("pools/plan/judging/compare/", judging.compute_plans, name="compare-judging-plans"),
    path("pools/plan/judging/figures.json", judging.plan_figures_file, name="judging-plans-json"),
    path("pools/plan/judging/<slug:strategy>.csv", judging.plan_list, name="judging-plan-csv"),
]
