from django.urls import path

from corpus import label_views, views

urlpatterns = [
    path("c/<slug:slug>/documents/", views.documents, name="documents"),
    path("c/<slug:slug>/documents/import/", views.import_documents, name="import-documents"),
    path("c/<slug:slug>/labels/", label_views.labels, name="labels"),
    path("c/<slug:slug>/labels/<int:pk>/", label_views.check_labels, name="check-labels"),
    path("c/<slug:slug>/queries/", views.show_queries, name="queries"),
    path("c/<slug:slug>/queries/add/", views.add_queries, name="add-queries"),
    path("c/<slug:slug>/queries/import/", views.import_topics, name="import-topics"),
    path("c/<slug:slug>/queries/<int:pk>/delete/", views.delete_query, name="delete-query"),
]
