from django.urls import path

from evaluation import baseline_views, trust_views, views

urlpatterns = [
    path("c/<slug:slug>/leaderboard/", views.leaderboard, name="leaderboard"),
    path("c/<slug:slug>/compare/", views.compare, name="compare"),
    path("c/<slug:slug>/trust/", trust_views.trust, name="trust"),
    path("c/<slug:slug>/folds/make/", baseline_views.make_folds, name="make-folds"),
    path("c/<slug:slug>/baselines/", baseline_views.baselines, name="baselines"),
    path("c/<slug:slug>/baselines/build/", baseline_views.build, name="build-baselines"),
    path("c/<slug:slug>/systems/add/", views.add_ranking, name="add-ranking"),
    path("c/<slug:slug>/systems/<int:pk>/", views.system, name="system"),
]
