"""Below `/c/<slug>/adjudicate/`."""

from __future__ import annotations

from django.urls import URLPattern, path

# Imported for the `token` converter, which it registers.
import annotation.urls  # noqa: F401
from adjudication import views
from adjudication.help_requests.views import ask_admin_about_case

urlpatterns: list[URLPattern] = [
    path("", views.adjudicate, name="adjudicate"),
    path("<path:name>/undo/", views.case_undo, name="case-undo"),
    path("<path:name>/decided/", views.adjudicate_decided, name="adjudicate-decided"),
    path("<path:name>/settled/", views.adjudicate_settled, name="adjudicate-settled"),
    path("<path:name>/<token:token>/claim/", views.case_claim, name="case-claim"),
    path("<path:name>/<token:token>/later/", views.case_later, name="case-later"),
    path("<path:name>/<token:token>/ask/", ask_admin_about_case, name="ask-admin-about-case"),
    path("<path:name>/<token:token>/", views.case, name="case"),
    path("<path:name>/", views.adjudicate_query, name="adjudicate-query"),
]
