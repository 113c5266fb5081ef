from django.urls import path

from dashboard import views

urlpatterns = [
    path("account/data.json", views.download_own_data, name="own-data"),
    path("c/<slug:slug>/", views.collection, name="collection"),
    path("c/<slug:slug>/progress/", views.show_progress, name="progress"),
    path("c/<slug:slug>/people/<int:pk>/", views.person, name="person"),
    path("c/<slug:slug>/time/", views.show_time, name="time"),
    path("c/<slug:slug>/queries/<int:pk>/", views.query, name="query"),
    path("c/<slug:slug>/documents/<int:pk>/", views.document, name="document"),
    path("c/<slug:slug>/settings/", views.settings, name="settings"),
    path("c/<slug:slug>/search/", views.search, name="search"),
]
