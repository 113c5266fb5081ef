"""Below `/c/<slug>/`: the pages of a collection that need to know every room."""

from __future__ import annotations

from django.urls import URLPattern, path

import pooling.converters  # noqa: F401 (registers "pool_docno")
from accounts.models import Role
from accounts.moved_pages import moved_page
from dashboard import corpus_pages, pool_pages, views
from dashboard.board import opening_views, rebalance_views, set_up_views
from dashboard.board import views as board_views
from dashboard.document_page.views import document
from dashboard.people import invitation_views, qualification_views
from dashboard.people import views as people
from dashboard.query_page import views as query_page
from dashboard.query_page.aspects import name_query_aspects
from dashboard.settings import archive_views

urlpatterns: list[URLPattern] = [
    path("", views.collection_page, name="collection"),
    path("sample/", views.add_sample, name="add-sample"),
    path("search/", views.search_page, name="search"),
    path("queries/", corpus_pages.queries, name="queries"),
    # Below a word of its own: a docno may contain slashes, and be called "import".
    path("documents/id/<path:docno>", document, name="document"),
    path("queries/id/<path:name>", query_page.query, name="query"),
    path("queries/aspects/<path:name>", name_query_aspects, name="name-query-aspects"),
    path("queries/topics/<path:topic>", query_page.topic, name="topic"),
    path("set-up/", set_up_views.set_up, name="set-up"),
    path("set-up/pools/", set_up_views.build, name="build-usual-pools"),
    path("end-judging/", people.end, name="end-judging"),
    path("pools/", pool_pages.pools, name="pools"),
    path("pools/<pool_docno:docno>/", query_page.pool, name="pool"),
    path("judging/", board_views.board, name="board"),
    path(
        "judging/figures/<slug:figure>.<slug:extension>",
        board_views.board_figure,
        name="board-figure",
    ),
    path("not-open/", moved_page("board", Role.ADMIN, state="not-open"), name="open-queries"),
    path("judging/exclusions/", opening_views.add_exclusion, name="add-exclusion"),
    path(
        "judging/exclusions/<int:exclusion_id>/remove/",
        opening_views.remove_exclusion,
        name="remove-exclusion",
    ),
    path("judging/rebalance/", rebalance_views.rebalance, name="rebalance"),
    path("judging/seat/<int:opening_id>/<int:number>/", board_views.seat, name="seat"),
    path("people/", people.people, name="people"),
    path("people/<int:user_id>/", people.person, name="person"),
    path("people/<int:user_id>/qualify/", qualification_views.give, name="give-qualification"),
    path(
        "people/<int:user_id>/withdraw/",
        qualification_views.withdraw,
        name="withdraw-qualification",
    ),
    path(
        "people/<int:user_id>/measure/",
        qualification_views.measure,
        name="measure-senior",
    ),
    path("people/hours/", people.timesheet, name="timesheet"),
    path("people/role/", people.add_role, name="add-role"),
    path("people/new/", people.add_person, name="add-person"),
    path("people/invite/", invitation_views.invite_people, name="invite-people"),
    path(
        "people/invitations/<int:invitation_id>/send/",
        invitation_views.send_invitation_again,
        name="send-invitation-again",
    ),
    path(
        "people/invitations/<int:invitation_id>/revoke/",
        invitation_views.revoke_invitation,
        name="revoke-invitation",
    ),
    path("people/<int:membership_id>/remove/", people.take_role, name="remove-role"),
    path(
        "people/<int:membership_id>/password-link/",
        people.make_password_link,
        name="make-password-link",
    ),
    path("settings/", views.collection_settings, name="collection-settings"),
    path("settings/facets/", views.collection_facets, name="collection-facets"),
    path("settings/judging/", views.judging_settings, name="judging-settings"),
    path("settings/archive/", archive_views.archive, name="archive-collection"),
    path("settings/unarchive/", archive_views.unarchive, name="unarchive-collection"),
    path("settings/download/", archive_views.export, name="export-collection"),
    path("settings/delete/", archive_views.delete, name="delete-collection"),
]
