from __future__ import annotations

from django.urls import URLPattern, path

from corpus import views

urlpatterns: list[URLPattern] = [
    path("documents/", views.documents, name="documents"),
    path("documents/import/", views.import_documents, name="import-documents"),
    path("documents/label/<path:docno>", views.label_sentences, name="label-sentences"),
    path("queries/add/", views.add_query, name="add-query"),
    path("queries/add-list/", views.add_list, name="add-query-list"),
    path("queries/import-topics/", views.import_topics, name="import-topics"),
    path("queries/remove/<path:name>", views.delete_query, name="remove-query"),
]
