from __future__ import annotations

from django.urls import URLPattern, path

from pooling import comparing, import_views, views

urlpatterns: list[URLPattern] = [
    path("runs/", views.runs, name="runs"),
    path("runs/import/", import_views.import_run, name="import-run"),
    path("runs/import-vectors/", import_views.import_embeddings, name="import-embeddings"),
    path("runs/retrieve/", views.retrieve, name="retrieve"),
    path("runs/choose-models/", comparing.choose_models, name="choose-models"),
    path("runs/<path:name>/remove/", views.remove_run, name="remove-run"),
    path("runs/<path:name>/file/", views.run_file, name="run-file"),
    # "pools/" is in config, which knows the judgments too.
    # Not below pools/: any docno may follow there.
    path("build-pools/", views.build_pools, name="build-pools"),
    path("freeze-pools/", views.freeze_pools, name="freeze-pools"),
    path("pool-builds/<int:build>/manifest/", views.manifest, name="pool-manifest"),
    path("pools/<path:docno>/", views.pool, name="pool"),
]
