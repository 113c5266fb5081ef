from django.urls import path

from retrieval import views

urlpatterns = [
    path("c/<slug:slug>/runs/", views.runs, name="runs"),
    path("c/<slug:slug>/runs/add/", views.add_run, name="add-run"),
    path("c/<slug:slug>/runs/vectors/", views.add_vectors, name="add-vectors"),
    path("c/<slug:slug>/runs/build/", views.build, name="build-runs"),
    path("c/<slug:slug>/runs/<int:pk>/", views.run, name="run"),
    path("c/<slug:slug>/runs/<int:pk>/file/", views.run_file, name="run-file"),
    path("c/<slug:slug>/runs/<int:pk>/delete/", views.delete, name="delete-run"),
    path("c/<slug:slug>/runs/<int:pk>/queries/<int:query_pk>/", views.run_list, name="run-list"),
]
