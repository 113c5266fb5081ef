"""Below `/c/<slug>/releases/`. A version has no slash, so the zip and the page never mix up."""

from __future__ import annotations

from django.urls import URLPattern, path

from release import views
from release.errata import views as errata
from release.versions import views as change_views

urlpatterns: list[URLPattern] = [
    path("", views.releases, name="releases"),
    # The dash keeps it apart: no version begins with one.
    path("-/publish/", views.publish, name="publish"),
    path("<str:version>.zip", views.release_download, name="release-download"),
    path("<str:version>/public/", views.make_release_public, name="make-release-public"),
    path("<str:version>/private/", views.make_release_private, name="make-release-private"),
    path("<str:version>/changes/", change_views.changes, name="release-changes"),
    path("<str:version>/changes/rank/", change_views.rank_systems, name="rank-under-versions"),
    path("<str:version>/report/", errata.report, name="report-erratum"),
    path("<str:version>/", views.release, name="release"),
]
