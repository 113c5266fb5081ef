"""Below `/c/<slug>/label-samples/`, for admins."""

from __future__ import annotations

from django.urls import URLPattern, path

from release.label_samples import views

urlpatterns: list[URLPattern] = [
    path("", views.label_samples, name="label-samples"),
    path("<slug:label_sample>/", views.show_sample, name="label-sample"),
    path("<slug:label_sample>/rates.csv", views.sample_rates, name="label-sample-csv"),
]
