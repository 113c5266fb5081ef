"""Below `/c/<slug>/evaluation/shadow-judges/`."""

from __future__ import annotations

from django.urls import URLPattern, path

from evaluation.label_effects.pages import CSV, JSON
from evaluation.shadow_judges import views
from evaluation.shadow_judges.asking import views as asking

urlpatterns: list[URLPattern] = [
    path("import/", views.import_shadow_judge, name="import-shadow-judge"),
    path("ask/", asking.ask_model, name="ask-model"),
    path(
        "judge/<str:shadow_judge>/continue/",
        asking.continue_model,
        name="continue-model",
    ),
    path(
        "judge/<str:shadow_judge>/answers.jsonl",
        asking.model_answers,
        name="model-answers",
    ),
    path("judge/<str:shadow_judge>/", views.shadow_judge, name="shadow-judge"),
    path(
        "judge/<str:shadow_judge>/compare/",
        views.compare_shadow_judge,
        name="compare-shadow-judge",
    ),
    path(
        "judge/<str:shadow_judge>/figures/<slug:figure>.<slug:extension>",
        views.shadow_judge_figure,
        name="shadow-judge-figure",
    ),
    path(
        "judge/<str:shadow_judge>/report.csv",
        views.shadow_judge_file,
        {"extension": CSV},
        name="shadow-judge-csv",
    ),
    path(
        "judge/<str:shadow_judge>/report.json",
        views.shadow_judge_file,
        {"extension": JSON},
        name="shadow-judge-json",
    ),
    path(
        "judge/<str:shadow_judge>/family/",
        views.choose_family,
        name="choose-shadow-judge-family",
    ),
    path(
        "judge/<str:shadow_judge>/delete/",
        views.remove_shadow_judge,
        name="delete-shadow-judge",
    ),
]
