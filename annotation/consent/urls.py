"""Below `/c/<slug>/`."""

from __future__ import annotations

from django.urls import path

from annotation.consent import views

urlpatterns = [
    path("consent/", views.consent, name="consent"),
    path("consent/withdraw/", views.withdraw_consent, name="withdraw-consent"),
    path("consent-texts/", views.consent_texts, name="consent-texts"),
]
