"""Below `/c/<slug>/questions/`."""

from __future__ import annotations

from django.urls import URLPattern, path

# Imported for the `token` converter, which it registers.
import annotation.urls  # noqa: F401
from adjudication.questions import views

urlpatterns: list[URLPattern] = [
    path("", views.case_questions, name="case-questions"),
    path("<int:question>/take-back/", views.take_question_back, name="take-question-back"),
    path("<path:name>/<token:token>/", views.ask_judges_of_case, name="ask-judges"),
]
