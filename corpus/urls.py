from __future__ import annotations

from django.urls import URLPattern, path

from corpus import views

urlpatterns: list[URLPattern] = [
    path("documents/import/", views.import_documents, name="import-documents"),
    path("documents/full-texts/", views.import_full_texts, name="import-full-texts"),
    path("documents/full-text/<path:docno>", views.full_text, name="full-text"),
    path("documents/imports/", views.document_imports, name="document-imports"),
    path("queries/add/", views.add_query, name="add-query"),
    path("queries/add-list/", views.add_list, name="add-query-list"),
    path("queries/import-topics/", views.import_topics, name="import-topics"),
    path("queries/remove/<path:name>", views.delete_query, name="remove-query"),
]
