"""Below `/c/<slug>/practice/`, for members of a set. A query name is a path, as in live judging."""

from __future__ import annotations

from django.urls import URLPattern, path

# Imported for the `token` converter, which it registers.
import annotation.urls  # noqa: F401
from practice import judging_views as views

urlpatterns: list[URLPattern] = [
    path("<slug:practice_set>/", views.practice, name="practice"),
    path(
        "<slug:practice_set>/guideline/<slug:facet>/",
        views.practice_guideline,
        name="practice-guideline",
    ),
    path("<slug:practice_set>/q/<path:name>/ahead/", views.practice_ahead, name="practice-ahead"),
    path("<slug:practice_set>/q/<path:name>/undo/", views.practice_undo, name="practice-undo"),
    path("<slug:practice_set>/q/<path:name>/mine/", views.practice_mine, name="practice-mine"),
    path(
        "<slug:practice_set>/q/<path:name>/<token:token>/",
        views.practice_pair,
        name="practice-pair",
    ),
    path("<slug:practice_set>/q/<path:name>/", views.practice_query, name="practice-query"),
]
