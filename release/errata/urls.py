"""Below `/c/<slug>/errata/`."""

from __future__ import annotations

from django.urls import URLPattern, path

from release.errata import views

urlpatterns: list[URLPattern] = [
    path("", views.errata, name="errata"),
    path("<int:erratum_id>/", views.erratum, name="erratum"),
]
