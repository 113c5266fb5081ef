from __future__ import annotations

from django.urls import URLPattern, path

from pooling import views

urlpatterns: list[URLPattern] = [
    # "pools/" is in dashboard, because that page shows judgments too.
    # The next paths are not below "pools/", because any docno may follow there.
    path("build-pools/", views.build_pools, name="build-pools"),
    path("freeze-pools/", views.freeze_pools, name="freeze-pools"),
    path("pool-builds/<int:build>/manifest/", views.manifest, name="pool-manifest"),
    path("pools/<path:docno>/", views.pool, name="pool"),
]
