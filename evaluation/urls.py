from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from evaluation.leaderboard import views

urlpatterns: list[URLPattern | URLResolver] = [
    path("evaluation/", views.show_leaderboard, name="leaderboard"),
    path("systems/<path:name>", views.system, name="system"),
    path("evaluation/score/", views.score_systems, name="score-systems"),
    path("evaluation/pool-bias/", include("evaluation.pool_bias.urls")),
    path("evaluation/", include("evaluation.label_effects.urls")),
    path("evaluation/shadow-judges/", include("evaluation.shadow_judges.urls")),
    path("evaluation/", include("evaluation.comparison.urls")),
    path("evaluation/errors/", include("evaluation.error_browser.urls")),
]
