"""Below `/c/<slug>/pool-rounds/`. Not below `pools/`, because any docno may follow there."""

from __future__ import annotations

from django.urls import URLPattern, path

from evaluation.top_ups import views

urlpatterns: list[URLPattern] = [
    path("", views.pool_rounds, name="pool-rounds"),
    path("add/", views.add_round, name="add-pool-round"),
    path("open/", views.open_pool_round, name="open-pool-round"),
    path("<int:round_number>/manifest/", views.round_manifest, name="pool-round-manifest"),
    path("<int:round_number>/lists/<path:name>.txt", views.round_run, name="pool-round-run"),
]
