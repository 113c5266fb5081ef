"""The admin's page about scores estimated with a shadow judge."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role
from evaluation.label_effects.pages import (
    LabelReports,
    chosen_measure,
    measure_context,
)
from evaluation.label_effects.views import start_reports
from evaluation.prediction_powered.figures import estimate_figures
from evaluation.prediction_powered.report import PredictionPoweredReport
from evaluation.prediction_powered.tables import csv_rows, estimate_lines, finding_of
from evaluation.shadow_judges.views import judge_or_404
from reports.services import changed_since
from web.figure_files import figure_file


def _reports(collection: Collection, shadow_judge: str) -> LabelReports:
    return LabelReports(collection, PredictionPoweredReport, judge_or_404(collection, shadow_judge))


@in_collection(Role.ADMIN)
@require_safe
def show_estimates(request: HttpRequest, collection: Collection, shadow_judge: str) -> HttpResponse:
    reports = _reports(collection, shadow_judge)
    measure = chosen_measure(request, [reports])
    context: dict[str, Any] = {
        **measure_context(collection, measure, [reports]),
        "judge": reports.shadow_judge,
    }
    if report := reports.by(measure):
        csv, json = reports.file_addresses(report, "estimates")
        context |= {
            "report": report,
            "finding": finding_of(report.payload),
            "lines": estimate_lines(report.payload),
            "figures": reports.shown_figures(report, "estimates", estimate_figures(report.payload)),
            "section": {
                "report": report,
                "changed": changed_since(report),
                "csv": csv,
                "json": json,
            },
        }
    return render(request, "evaluation/estimates.html", context)


@in_collection(Role.ADMIN)
@require_POST
def compute_estimates(
    request: HttpRequest, collection: Collection, shadow_judge: str
) -> HttpResponse:
    judge_or_404(collection, shadow_judge)
    kind = PredictionPoweredReport(request.POST.get("measure", ""), shadow_judge)
    address = reverse("estimates", args=[collection.slug, shadow_judge])
    return start_reports(request, collection, [kind], address)


@in_collection(Role.ADMIN)
@require_safe
def estimates_figure(
    request: HttpRequest, collection: Collection, shadow_judge: str, figure: str, extension: str
) -> HttpResponse:
    reports = _reports(collection, shadow_judge)
    report = reports.by(chosen_measure(request, [reports]))
    figures = estimate_figures(report.payload) if report else []
    return figure_file(figures, figure, extension, f"{collection.slug}-{shadow_judge}")


@in_collection(Role.ADMIN)
@require_safe
def estimates_file(
    request: HttpRequest, collection: Collection, shadow_judge: str, extension: str
) -> HttpResponse:
    reports = _reports(collection, shadow_judge)
    return reports.file(request, extension, f"estimates-{shadow_judge}", csv_rows)
