"""The addresses for staff."""

from __future__ import annotations

from django.urls import path

from accounts.personal_data import views

urlpatterns = [
    path("", views.find_person, name="find-person"),
    path("<int:person_id>/", views.person_data, name="person-data"),
    path("<int:person_id>/export/", views.export_person_data, name="export-person"),
]
