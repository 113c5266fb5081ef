from __future__ import annotations

from django.urls import URLPattern, path

from accounts.models import Role
from accounts.moved_pages import moved_page
from evaluation.comparison import views

urlpatterns: list[URLPattern] = [
    path("", views.compare_systems, name="compare-systems"),
    path("lists/", moved_page("compare-systems", Role.ADMIN), name="ranked-lists"),
    path("facets/", views.paired_facets, name="paired-facets"),
    path("figures/<slug:figure>.<slug:extension>", views.comparison_file, name="comparison-figure"),
]
