"""Below `/c/<slug>/pilots/`, for admins."""

from __future__ import annotations

from django.urls import URLPattern, path

from practice import views

urlpatterns: list[URLPattern] = [
    path("", views.pilots, name="pilots"),
    path("new/", views.new_pilot, name="new-pilot"),
    path("<int:number>/", views.pilot, name="pilot"),
    path("<int:number>/meeting/", views.meeting, name="pilot-meeting"),
    path("<int:number>/close/", views.close, name="close-pilot"),
    path("<int:number>/remove/", views.remove, name="remove-pilot"),
]
