from django.urls import path

from corpus import label_views, screening_views, views

urlpatterns = [
    path("c/<slug:slug>/documents/", views.documents, name="documents"),
    path("c/<slug:slug>/documents/import/", views.import_documents, name="import-documents"),
    path("c/<slug:slug>/labels/", label_views.labels, name="labels"),
    path("c/<slug:slug>/labels/<int:pk>/", label_views.check_labels, name="check-labels"),
    path("c/<slug:slug>/queries/", views.show_queries, name="queries"),
    path("c/<slug:slug>/queries/add/", views.add_queries, name="add-queries"),
    path("c/<slug:slug>/queries/sample/", screening_views.sample_papers, name="sample-papers"),
    path("c/<slug:slug>/queries/screen/", screening_views.screen_papers, name="screen-papers"),
    path("c/<slug:slug>/queries/screen/<int:pk>/", screening_views.screen_paper, name="screen-paper"),
    path("c/<slug:slug>/queries/choose/", screening_views.choose_papers, name="choose-papers"),
    path("c/<slug:slug>/queries/import/", views.import_topics, name="import-topics"),
    path("c/<slug:slug>/queries/<int:pk>/delete/", views.delete_query, name="delete-query"),
]
