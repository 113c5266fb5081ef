from __future__ import annotations

from django.urls import URLPattern, path

from jobs import views

urlpatterns: list[URLPattern] = [
    path("", views.jobs, name="jobs"),
    path("<uuid:job_id>/", views.job, name="job"),
    path("<uuid:job_id>/card/", views.card, name="job-card"),
    path("<uuid:job_id>/cancel/", views.cancel, name="cancel-job"),
    path("<uuid:job_id>/import/", views.import_checked, name="import-checked"),
    path("<uuid:job_id>/again/", views.try_again, name="try-job-again"),
]
