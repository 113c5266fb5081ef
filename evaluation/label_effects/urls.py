"""Below `/c/<slug>/evaluation/`: the page *Label effects*, its files, and what it replaced."""

from __future__ import annotations

from django.urls import URLPattern, path

from accounts.models import Role
from accounts.moved_pages import moved_page
from evaluation.label_effects import views
from evaluation.label_effects.pages import CSV, JSON

urlpatterns: list[URLPattern] = [
    path("label-effects/", views.show_label_effects, name="label-effects"),
    path("label-effects/compute/", views.compute, name="compute-label-effects"),
    path(
        "label-effects/figures/<slug:figure>.<slug:extension>",
        views.figure_of,
        name="label-effects-figure",
    ),
    *(
        path(
            f"{name}/report.{extension}",
            views.file_of,
            {"name": name, "extension": extension},
            name=f"{name}-{extension}",
        )
        for name in views.KINDS
        for extension in (CSV, JSON)
    ),
    *(
        path(f"{name}/", moved_page("label-effects", Role.ADMIN, anchor=name), name=name)
        for name in ("cited-papers", "shadow-judges")
    ),
]
