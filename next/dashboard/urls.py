from django.urls import path

from dashboard import views

urlpatterns = [
    path("c/<slug:slug>/", views.collection, name="collection"),
    path("c/<slug:slug>/progress/", views.progress, name="progress"),
    path("c/<slug:slug>/settings/", views.settings, name="settings"),
    path("c/<slug:slug>/search/", views.search, name="search"),
]
