"""Below `/c/<slug>/referrals/`."""

from __future__ import annotations

from django.urls import URLPattern, path

from adjudication.referrals import views

urlpatterns: list[URLPattern] = [path("", views.referrals, name="referrals")]
