"""Below `/c/<slug>/evaluation/`: the page *Compare*, its files, and the pages that it replaced."""

from __future__ import annotations

from django.urls import URLPattern, path

from accounts.models import Role
from accounts.moved_pages import moved_page
from evaluation.comparison import views

_significance = moved_page("compare-systems", Role.ADMIN, renamed={"baseline": "first"})
_facets = moved_page("compare-systems", Role.ADMIN, anchor="facets", renamed={"system": "second"})

urlpatterns: list[URLPattern] = [
    path("comparison/", views.compare_systems, name="compare-systems"),
    path("comparison/facets/", _facets, name="paired-facets"),
    path(
        "comparison/figures/<slug:figure>.<slug:extension>",
        views.comparison_file,
        name="comparison-figure",
    ),
    path("significance/", _significance, name="significance"),
    path("significance/systems.csv", views.significance_csv, name="significance-csv"),
    path("significance/all-pairs.csv", views.all_pairs_csv, name="all-pairs-csv"),
]
