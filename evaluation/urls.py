from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from evaluation.leaderboard import views as leaderboard
from evaluation.leaderboard.folds_views import change_folds
from evaluation.ranked_lists import views as ranked_lists
from evaluation.system_page import views as system_page

urlpatterns: list[URLPattern | URLResolver] = [
    path("evaluation/", leaderboard.show_leaderboard, name="leaderboard"),
    path("evaluation/score/", leaderboard.score_systems, name="score-systems"),
    path("evaluation/folds/", change_folds, name="change-folds"),
    path(
        "evaluation/figures/<slug:figure>.<slug:extension>",
        leaderboard.leaderboard_file,
        name="leaderboard-figure",
    ),
    path("systems/<path:name>", system_page.system, name="system"),
    path("evaluation/systems/file/<path:name>", system_page.system_file, name="system-file"),
    path(
        "evaluation/systems/repetition/<path:name>/",
        system_page.repetition,
        name="system-repetition",
    ),
    path("evaluation/comparison/lists/", ranked_lists.ranked_lists, name="ranked-lists"),
    path("pool-rounds/", include("evaluation.top_ups.urls")),
    path("evaluation/corpus-sizes/", include("evaluation.corpus_sizes.urls")),
    path("evaluation/gaps/", include("evaluation.gaps.urls")),
    path("evaluation/pool-bias/", include("evaluation.pool_bias.urls")),
    path("evaluation/", include("evaluation.label_effects.urls")),
    path("evaluation/shadow-judges/", include("evaluation.shadow_judges.urls")),
    path(
        "evaluation/shadow-judges/judge/<str:shadow_judge>/estimates/",
        include("evaluation.prediction_powered.urls"),
    ),
    path("evaluation/", include("evaluation.comparison.urls")),
    path("evaluation/errors/", include("evaluation.error_browser.urls")),
]
