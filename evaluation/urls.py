from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from evaluation.label_effects.services import CitedPapersReport, LabelEffectsReport
from evaluation.label_effects.views import report_urls
from evaluation.leaderboard import views

urlpatterns: list[URLPattern | URLResolver] = [
    path("evaluation/", views.show_leaderboard, name="leaderboard"),
    path("systems/<path:name>", views.system, name="system"),
    path("evaluation/score/", views.score_systems, name="score-systems"),
    path("evaluation/pool-bias/", include("evaluation.pool_bias.urls")),
    path("evaluation/label-effects/", include(report_urls(LabelEffectsReport))),
    path("evaluation/shadow-judges/", include("evaluation.shadow_judges.urls")),
    path("evaluation/cited-papers/", include(report_urls(CitedPapersReport))),
    path("evaluation/", include("evaluation.comparison.urls")),
    path("evaluation/errors/", include("evaluation.error_browser.urls")),
]
