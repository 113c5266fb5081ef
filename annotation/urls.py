from django.urls import path

from annotation import import_views, opening_views, views

urlpatterns = [
    path("c/<slug:slug>/judge/", views.work, name="work"),
    path("c/<slug:slug>/judge/<int:pk>/", views.workspace, name="workspace"),
    path("c/<slug:slug>/judge/<int:pk>/pairs/", views.more_pairs, name="judge-more"),
    path("c/<slug:slug>/judge/<int:pk>/<str:token>/", views.judge_pair, name="judge-pair"),
    path("c/<slug:slug>/judge/<int:pk>/<str:token>/later/", views.later, name="judge-later"),
    path("c/<slug:slug>/review/", views.review, name="review"),
    path("c/<slug:slug>/guideline/", views.guideline, name="guideline"),
    path("c/<slug:slug>/guideline/edit/", views.edit_guideline, name="edit-guideline"),
    path("c/<slug:slug>/openings/", opening_views.open_queries, name="open-queries"),
    path("c/<slug:slug>/openings/hand-over/", opening_views.hand_over, name="hand-over"),
    path("c/<slug:slug>/openings/close/", opening_views.close, name="close-queries"),
    path("c/<slug:slug>/judgments/import/", import_views.import_judgments, name="import-judgments"),
    path("c/<slug:slug>/labels/import/", import_views.import_labels, name="import-labels"),
]
