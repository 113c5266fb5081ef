"""Below `/c/<slug>/`: the pages of a collection that need to know every room."""

from __future__ import annotations

from django.urls import URLPattern, path

from dashboard import board_views, corpus_pages, people, pool_pages, views

urlpatterns: list[URLPattern] = [
    path("", views.collection_page, name="collection"),
    path("search/", views.search_page, name="search"),
    path("queries/", corpus_pages.queries, name="queries"),
    # Below a word of its own: a docno may contain slashes, and be called "import".
    path("documents/id/<path:docno>", corpus_pages.document, name="document"),
    path("pools/", pool_pages.pools, name="pools"),
    path("judging/", board_views.board, name="board"),
    path("judging/open/", board_views.open_queries, name="open-queries"),
    path("judging/seat/<int:opening_id>/<int:number>/", board_views.seat, name="seat"),
    path("people/", people.people, name="people"),
    path("people/role/", people.add_role, name="add-role"),
    path("people/new/", people.add_person, name="add-person"),
    path("people/<int:membership_id>/remove/", people.take_role, name="remove-role"),
    path("settings/", views.collection_settings, name="collection-settings"),
]
