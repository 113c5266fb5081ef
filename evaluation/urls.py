from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from evaluation import leaderboard_views, plan_views, views

urlpatterns: list[URLPattern | URLResolver] = [
    path("evaluation/", leaderboard_views.show_leaderboard, name="leaderboard"),
    path("evaluation/score/", leaderboard_views.score_systems, name="score-systems"),
    path("evaluation/systems/", include("evaluation.systems.urls")),
    path("evaluation/pool-bias/", include("evaluation.pool_bias.urls")),
    path("evaluation/label-effects/", include("evaluation.label_effects.urls")),
    path("evaluation/shadow-judges/", include("evaluation.shadow_judges.urls")),
    path("evaluation/cited-papers/", include("evaluation.citations.urls")),
    path("runs/choose-models/", views.choose_models, name="choose-models"),
    path(
        "runs/choose-models/figures/<slug:figure>.<slug:extension>",
        views.models_figure,
        name="models-figure",
    ),
    path("pools/plan/compare/", plan_views.compare_plans, name="compare-plans"),
    path("evaluation/significance/", include("evaluation.significance.urls")),
    path("evaluation/comparison/", include("evaluation.comparison.urls")),
    path("evaluation/baselines/", include("evaluation.baselines.urls")),
    path("evaluation/errors/", include("evaluation.errors.urls")),
]
