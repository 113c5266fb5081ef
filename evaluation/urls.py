from django.urls import path

from evaluation import copy_views, model_views, trust_views, views

urlpatterns = [
    path("c/<slug:slug>/leaderboard/", views.leaderboard, name="leaderboard"),
    path("c/<slug:slug>/compare/", views.compare, name="compare"),
    path("c/<slug:slug>/trust/", trust_views.trust, name="trust"),
    path("c/<slug:slug>/folds/make/", views.make_folds, name="make-folds"),
    path("c/<slug:slug>/baselines/", views.baselines, name="baselines"),
    path("c/<slug:slug>/baselines/build/", views.build, name="build-baselines"),
    path("c/<slug:slug>/copies/", copy_views.copies, name="copies"),
    path("c/<slug:slug>/comparison/", copy_views.compare_with_original, name="comparison"),
    path("c/<slug:slug>/model-judges/", model_views.model_judges, name="model-judges"),
    path("c/<slug:slug>/model-judges/add/", model_views.add_model, name="add-model"),
    path("c/<slug:slug>/model-judges/import/", model_views.import_model, name="import-model"),
    path("c/<slug:slug>/model-judges/<int:pk>/", model_views.model_judge, name="model-judge"),
    path("c/<slug:slug>/model-judges/<int:pk>/delete/", model_views.delete_model, name="delete-model"),
    path("c/<slug:slug>/systems/add/", views.add_ranking, name="add-ranking"),
    path("c/<slug:slug>/systems/<int:pk>/", views.system, name="system"),
]
