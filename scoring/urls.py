from __future__ import annotations

from django.urls import URLPattern, path

from accounts.models import Role
from accounts.moved_pages import moved_page
from scoring import views

# Names are below a word of their own: a system may be called "import".
urlpatterns: list[URLPattern] = [
    path("evaluation/add/", views.add_system, name="add-system"),
    path("evaluation/systems/", moved_page("leaderboard", Role.ADMIN), name="systems"),
    path("evaluation/systems/import/", views.import_system, name="import-system"),
    path("evaluation/systems/remove/<path:name>/", views.remove_system, name="remove-system"),
    path(
        "evaluation/baselines/",
        moved_page("add-system", Role.ADMIN, anchor="baselines"),
        name="baselines",
    ),
    path("evaluation/baselines/make/", views.make_baselines, name="make-baselines"),
]
