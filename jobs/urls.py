from django.urls import path

from jobs import health, views

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("c/<slug:slug>/jobs/", views.jobs, name="jobs"),
    path("c/<slug:slug>/jobs/<uuid:pk>/", views.job, name="job"),
    path("c/<slug:slug>/jobs/<uuid:pk>/cancel/", views.cancel, name="cancel-job"),
]
