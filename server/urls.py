from __future__ import annotations

from django.urls import path

from server import views

urlpatterns = [path("", views.server_state, name="server-state")]
