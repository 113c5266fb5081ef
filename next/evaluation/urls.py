from django.urls import path

from evaluation import trust_views, views

urlpatterns = [
    path("c/<slug:slug>/leaderboard/", views.leaderboard, name="leaderboard"),
    path("c/<slug:slug>/compare/", views.compare, name="compare"),
    path("c/<slug:slug>/trust/", trust_views.trust, name="trust"),
    path("c/<slug:slug>/systems/add/", views.add_ranking, name="add-ranking"),
    path("c/<slug:slug>/systems/<int:pk>/", views.system, name="system"),
]
