"""Below `/c/<slug>/check-labels/`. A docno may hold slashes, so it is a path."""

from __future__ import annotations

from django.urls import URLPattern, path

from accounts.moved_pages import moved_page
from curation.checking import views as check_views

urlpatterns: list[URLPattern] = [
    path("", moved_page("labels", *check_views.IN_CURATION), name="check-labels"),
    path("next/", check_views.check_next, name="check-next"),
    path("ahead/", check_views.check_ahead, name="check-ahead"),
    path("undo/", check_views.check_undo, name="check-undo"),
    path("abstract/<path:docno>/", check_views.check_document, name="check-document"),
]
