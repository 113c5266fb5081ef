"""Below `/c/<slug>/studies/`, for admins."""

from __future__ import annotations

from django.urls import URLPattern, path

from studies import views

urlpatterns: list[URLPattern] = [
    path("", views.studies, name="studies"),
    path("new/", views.new_study, name="new-study"),
    path("<slug:study>/report/", views.study, name="study"),
    path("<slug:study>/ratings.csv", views.study_csv, name="study-csv"),
    path("<slug:study>/end/", views.end, name="end-study"),
]
