from __future__ import annotations

from django.urls import URLPattern, path

from annotation import admin_views as views

urlpatterns: list[URLPattern] = [
    path("judging/", views.board, name="board"),
    path("judging/open/", views.open_queries, name="open-queries"),
    path("judging/seat/<int:opening_id>/<int:number>/", views.seat, name="seat"),
    path("guidelines/", views.guidelines, name="guidelines"),
    path("guidelines/<slug:facet>/", views.guideline, name="guideline"),
]
