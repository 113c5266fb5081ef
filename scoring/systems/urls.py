from __future__ import annotations

from django.urls import URLPattern, path

from scoring.systems import views

urlpatterns: list[URLPattern] = [
    path("", views.systems, name="systems"),
    path("import/", views.import_system, name="import-system"),
    path("<str:name>/remove/", views.remove_system, name="remove-system"),
    path("<str:name>/repetition/", views.repetition, name="system-repetition"),
]
