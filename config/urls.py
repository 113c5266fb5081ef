"""Every address. What lies below `/c/<slug>/` belongs to one collection; apps bring their own."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from config import corpus_pages, people, pool_pages, views

in_collection: list[URLPattern | URLResolver] = [
    path("", views.collection_page, name="collection"),
    path("", include("corpus.urls")),
    path("queries/", corpus_pages.queries, name="queries"),
    # Below a word of its own: a docno may contain slashes, and be called "import".
    path("documents/id/<path:docno>", corpus_pages.document, name="document"),
    path("pools/", pool_pages.pools, name="pools"),
    path("", include("pooling.urls")),
    path("judge/", include("annotation.urls")),
    path("", include("annotation.admin_urls")),
    path("adjudicate/", include("adjudication.urls")),
    path("agreement/", include("agreement.urls")),
    path("releases/", include("release.urls")),
    path("jobs/", include("jobs.urls")),
    path("people/", people.people, name="people"),
    path("people/role/", people.add_role, name="add-role"),
    path("people/new/", people.add_person, name="add-person"),
    path("people/<int:membership_id>/remove/", people.take_role, name="remove-role"),
    path("settings/", views.collection_settings, name="collection-settings"),
]

handler400 = "config.errors.bad_request"
handler500 = "config.errors.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.home, name="home"),
    path("accounts/", include("accounts.login_urls")),
    path("account/", include("accounts.urls")),
    path("collections/new/", views.new_collection, name="new-collection"),
    path("c/<slug:slug>/", include(in_collection)),
    path("api/v1/", include("config.api_urls")),
    path("api/schema/", views.api_schema, name="api-schema"),
    path("api/docs/", views.api_docs, name="api-docs"),
]
