"""Below `/c/<slug>/full-text/`, for the rater of a study."""

from __future__ import annotations

from django.urls import URLPattern, path

# Imported for the `token` converter, which it registers.
import annotation.urls  # noqa: F401
from studies import rating_views as views

urlpatterns: list[URLPattern] = [
    path("", views.full_text_studies, name="full-text-studies"),
    path("<slug:study>/", views.own_study, name="own-study"),
    path("<slug:study>/next/", views.next_pair, name="rate-next"),
    path("<slug:study>/undo/<token:token>/", views.rate_undo, name="rate-undo"),
    path("<slug:study>/<token:token>/", views.rate_pair, name="rate-pair"),
]
