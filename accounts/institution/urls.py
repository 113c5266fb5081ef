"""Below `/accounts/institution/`. The names `openid_connect_…` and `saml_…` are django-allauth's.

An institution registers the addresses of `callback`, `acs` and `metadata`, so they stay.
"""

from __future__ import annotations

from django.urls import URLPattern, path

from accounts.institution import views
from web.languages.choice import translated_paths

_saml = "<slug:organization_slug>/"

_pages: list[URLPattern] = [
    path("confirm/", views.confirm, name="institution-confirm"),
    path("links/<int:link_id>/remove/", views.unlink, name="unlink-institution"),
    path("<slug:key>/login/", views.log_in, name="institution-login"),
    path("<slug:provider_id>/callback/", views.oidc_callback, name="openid_connect_callback"),
    path(f"{_saml}acs/", views.saml_response, name="saml_acs"),
    path(f"{_saml}acs/finish/", views.saml_finish, name="saml_finish_acs"),
    path(f"{_saml}metadata/", views.saml_metadata, name="saml_metadata"),
    path(f"{_saml}logout/", views.not_offered, name="saml_sls"),
]
urlpatterns: list[URLPattern] = translated_paths(_pages)
