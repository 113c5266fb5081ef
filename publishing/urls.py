"""Below `/releases/`: public releases, for everybody."""

from __future__ import annotations

from django.urls import URLPattern, path

from publishing import views as public_views
from publishing.errata_views import report_public_erratum

urlpatterns: list[URLPattern] = [
    path("", public_views.public_releases, name="public-releases"),
    path(
        "<slug:slug>/<str:version>.zip",
        public_views.public_download,
        name="public-release-download",
    ),
    path("<slug:slug>/<str:version>/report/", report_public_erratum, name="report-public-erratum"),
    path("<slug:slug>/<str:version>/", public_views.public_page, name="public-release"),
]
