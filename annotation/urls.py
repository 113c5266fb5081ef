"""Below `/c/<slug>/judge/`. A docno may hold slashes, so a query name is a path."""

from __future__ import annotations

from django.urls import URLPattern, path, register_converter

from annotation import views
from annotation.converters import TokenConverter
from annotation.help_requests.views import ask_admin
from annotation.proposals.views import judge_proposal
from annotation.questions import views as question_views

register_converter(TokenConverter, "token")

urlpatterns: list[URLPattern] = [
    path("", views.judge, name="judge"),
    path("<path:name>/ahead/", views.judge_ahead, name="judge-ahead"),
    path("<path:name>/undo/", views.judge_undo, name="judge-undo"),
    path("<path:name>/mine/", views.judge_mine, name="judge-mine"),
    path("<path:name>/<token:token>/", views.judge_pair, name="judge-pair"),
    path("<path:name>/<token:token>/later/", views.judge_later, name="judge-later"),
    path("<path:name>/<token:token>/ask/", ask_admin, name="ask-admin"),
    path("<path:name>/<token:token>/proposal/", judge_proposal, name="judge-proposal"),
    path(
        "<path:name>/<token:token>/question/",
        question_views.answer_question,
        name="judge-question",
    ),
    path("<path:name>/", views.judge_query, name="judge-query"),
]
