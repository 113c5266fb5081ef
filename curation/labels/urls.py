from __future__ import annotations

from django.urls import URLPattern, path

from curation.labels import views as label_views

urlpatterns: list[URLPattern] = [
    path("", label_views.labels, name="labels"),
    path("predict/", label_views.predict, name="predict-labels"),
    path("train/", label_views.train, name="train-labeller"),
]
