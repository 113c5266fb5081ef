from __future__ import annotations

from django.urls import URLPattern, path

from curation.choice import views

urlpatterns: list[URLPattern] = [
    path("", views.choose_queries, name="choose-queries"),
    path("<slug:choice>/", views.query_choice, name="query-choice"),
    path("<slug:choice>/apply/", views.apply, name="apply-choice"),
    path("<slug:choice>/<slug:figure>.<slug:extension>", views.choice_figure, name="choice-figure"),
]
