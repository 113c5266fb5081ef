"""Below `/c/<slug>/releases/`. A version has no slash, so the zip and the page never mix up."""

from __future__ import annotations

from django.urls import URLPattern, path

from accounts.models import Role
from accounts.moved_pages import moved_page
from release import views
from release.datasheets import views as datasheets
from release.errata import views as errata
from release.proofs import views as proofs
from release.versions import views as change_views

urlpatterns: list[URLPattern] = [
    path("", views.releases, name="releases"),
    # The dash keeps them apart: no version begins with one.
    path("-/publish/", views.publish, name="publish"),
    path("-/reports/", views.recompute_reports, name="recompute-reports"),
    path("-/datasheet/", datasheets.datasheet, name="datasheet"),
    path("-/datasheet/threshold/", datasheets.threshold, name="profile-threshold"),
    path("-/display-proof/", proofs.show_display_proof, name="display-proof"),
    path("-/display-proof/prove/", proofs.prove_display, name="prove-display"),
    path("-/blindness/", proofs.show_blindness, name="blindness"),
    path("-/blindness/check/", proofs.check_blindness, name="check-blindness"),
    path("-/errata/", errata.errata, name="errata"),
    path("-/errata/<int:erratum_id>/", errata.erratum, name="erratum"),
    path("<str:version>.zip", views.release_download, name="release-download"),
    path("<str:version>/public/", views.make_release_public, name="make-release-public"),
    path("<str:version>/private/", views.make_release_private, name="make-release-private"),
    path("<str:version>/changes/", change_views.changes, name="release-changes"),
    path("<str:version>/changes/rank/", change_views.rank_systems, name="rank-under-versions"),
    path("<str:version>/report/", errata.report, name="report-erratum"),
    path("<str:version>/", views.release, name="release"),
]
# Below `/c/<slug>/`: the addresses of before.
moved: list[URLPattern] = [
    path("datasheet/", moved_page("datasheet", Role.ADMIN), name="moved-datasheet"),
    path("errata/", moved_page("releases", Role.ADMIN, anchor="errata"), name="moved-errata"),
    path("errata/<int:erratum_id>/", moved_page("erratum", Role.ADMIN), name="moved-erratum"),
]
