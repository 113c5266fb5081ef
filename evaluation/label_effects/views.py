"""The admin's page about rankings of systems under different people's labels."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from evaluation.label_effects.figures import label_figures
from evaluation.label_effects.pages import ReportPage
from evaluation.label_effects.rankings import BadMeasure
from evaluation.label_effects.services import LabelComparison, LabelEffectsReport
from reports.services import request_report
from web.figure_files import figure_file, shown


def _page(request: HttpRequest, collection: Collection) -> ReportPage:
    return ReportPage.of(request, collection, LabelEffectsReport)


@in_collection(Role.ADMIN)
@require_safe
def label_effects(request: HttpRequest, collection: Collection) -> HttpResponse:
    page = _page(request, collection)
    context = page.context()
    if page.report is not None:
        context["figures"] = [
            shown(figure, "label-effects-figure", collection.slug, page.query)
            for figure in label_figures(page.report.payload)
        ]
    return render(request, "evaluation/label_effects.html", context)


@in_collection(Role.ADMIN)
@require_POST
def compute_label_effects(request: HttpRequest, collection: Collection) -> HttpResponse:
    kind = LabelEffectsReport(request.POST.get("measure", ""))
    return start_report(request, collection, kind, reverse("label-effects", args=[collection.slug]))


def start_report(
    request: HttpRequest, collection: Collection, kind: LabelComparison, address: str
) -> HttpResponse:
    """Queue the report, and go to its page."""
    try:
        request_report(kind, collection=collection, requested_by=person_of(request))
    except BadMeasure as error:
        messages.error(request, str(error))
        return redirect(address)
    messages.info(request, f"Comparing labels by {kind.measure}.")
    return redirect(f"{address}?{urlencode({'measure': kind.measure})}")


@in_collection(Role.ADMIN)
@require_safe
def label_effects_figure(
    request: HttpRequest, collection: Collection, figure: str, extension: str
) -> HttpResponse:
    report = _page(request, collection).report
    figures = label_figures(report.payload) if report else []
    return figure_file(figures, figure, extension, collection.slug)


@in_collection(Role.ADMIN)
@require_safe
def label_effects_file(
    request: HttpRequest, collection: Collection, extension: str
) -> HttpResponse:
    return _page(request, collection).file(extension, "label-effects")
