"""Below `/c/<slug>/training/`."""

from __future__ import annotations

from django.urls import URLPattern, path

from practice.training import views

urlpatterns: list[URLPattern] = [
    path("", views.training, name="training"),
    path("start/", views.start, name="start-training"),
    path("make/", views.make_set, name="make-training-set"),
    path("import/", views.import_set, name="import-training-set"),
    path("<slug:practice_set>/", views.training_set, name="training-set"),
    path("<slug:practice_set>/close/", views.close, name="close-training-set"),
    path("<slug:practice_set>/result/", views.result, name="training-result"),
]
