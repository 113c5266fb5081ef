"""Below `/releases/`: public releases, for everybody."""

from __future__ import annotations

from django.urls import URLPattern, path

from release import public_views

urlpatterns: list[URLPattern] = [
    path("", public_views.public_releases, name="public-releases"),
    path(
        "<slug:slug>/<str:version>.zip",
        public_views.public_download,
        name="public-release-download",
    ),
    path("<slug:slug>/<str:version>/", public_views.public_page, name="public-release"),
]
