from __future__ import annotations

from django.urls import URLPattern, path

from accounts.mail import views

urlpatterns: list[URLPattern] = [
    path("", views.mails, name="mails"),
    path("<str:mail_name>/", views.mail, name="mail"),
]
