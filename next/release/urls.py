from django.urls import path

from release import views

urlpatterns = [
    path("c/<slug:slug>/release/", views.release, name="release"),
    path("c/<slug:slug>/release/draft.zip", views.export, name="export"),
    path("c/<slug:slug>/release/<str:version>/", views.version, name="version"),
    path("c/<slug:slug>/release/<str:version>/download/", views.release_file, name="release-file"),
    path("c/<slug:slug>/datasheet/", views.datasheet_page, name="datasheet"),
]
