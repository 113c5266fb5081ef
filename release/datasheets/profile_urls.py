"""Below `/account/about/`: what a person says of himself or herself, by collection."""

from __future__ import annotations

from django.urls import URLPattern, path

from release.datasheets import profile_views

urlpatterns: list[URLPattern] = [
    path("", profile_views.own_profiles, name="own-profiles"),
    path("<slug:slug>/", profile_views.own_profile, name="own-profile"),
]
