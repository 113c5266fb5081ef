from __future__ import annotations

from django.urls import URLPattern, path

from retrieval import views

urlpatterns: list[URLPattern] = [
    path("", views.runs, name="runs"),
    path("add/", views.add_run, name="add-run"),
    path("import/", views.import_run, name="import-run"),
    path("import-vectors/", views.import_embeddings, name="import-embeddings"),
    path("retrieve/", views.retrieve, name="retrieve"),
    path("<path:name>/remove/", views.remove_run, name="remove-run"),
    path("<path:name>/file/", views.run_file, name="run-file"),
]
