"""The admin's page about the effect of labels: annotators, cited papers and shadow judges."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from evaluation.citations.figures import citation_figures
from evaluation.citations.tables import facet_lines
from evaluation.label_effects.figures import label_figures
from evaluation.label_effects.pages import (
    LabelReports,
    LabelSection,
    chosen_measure,
    measure_context,
)
from evaluation.label_effects.pool_rounds import (
    RoundEffectsReport,
    changes_by_round,
    has_pool_rounds,
)
from evaluation.label_effects.rankings import BadMeasure
from evaluation.label_effects.services import (
    CitedPapersReport,
    LabelComparison,
    LabelEffectsReport,
)
from evaluation.shadow_judges.asking.services import ASKING_KIND
from evaluation.shadow_judges.services import IMPORT_KIND
from evaluation.shadow_judges.tables import judge_lines
from jobs.listing import jobs_to_show
from reports.models import StoredReport
from reports.services import request_report
from web.figure_files import figure_file
from web.figures import Figure
from web.tables.cells import numbered_page

KINDS: dict[str, type[LabelComparison]] = {
    "label-effects": LabelEffectsReport,
    "cited-papers": CitedPapersReport,
    "round-effects": RoundEffectsReport,
}


@in_collection(Role.ADMIN)
@require_safe
def show_label_effects(request: HttpRequest, collection: Collection) -> HttpResponse:
    of_labels, of_cited, of_rounds = reports = [
        LabelReports(collection, kind) for kind in KINDS.values()
    ]
    measure = chosen_measure(request, reports)
    names = _facet_names(collection)

    def section(reports: LabelReports, name: str) -> LabelSection | None:
        report = reports.by(measure)
        if report is None:
            return None
        figures = list(_figures(report, names))
        findings = [panel.finding for figure in figures for panel in figure.panels]
        return reports.section(report, name, findings, figures)

    has_rounds = has_pool_rounds(collection)
    cited = section(of_cited, "cited-papers")
    rounds = section(of_rounds, "round-effects") if has_rounds else None
    sections = {"labels": section(of_labels, "label-effects"), "cited": cited}
    sections |= {"rounds": rounds} if has_rounds else {}
    page = numbered_page(collection.shadow_judges.defer("prompt", "description"), request)
    context = measure_context(collection, measure, reports)
    context["jobs"] += jobs_to_show(collection, [IMPORT_KIND, ASKING_KIND])
    context |= {
        **sections,
        "is_current": all(found and not found.changed for found in sections.values()),
        "has_rounds": has_rounds,
        "round_changes": list(changes_by_round(rounds.report.payload)) if rounds else [],
        "cited_lines": facet_lines(cited.report.payload, names) if cited else [],
        "grades": collection.grades,
        "page": page,
        "judges": judge_lines(page.rows),
    }
    return render(request, "evaluation/label_effects.html", context)


def _figures(report: StoredReport, names: dict[str, str]) -> Iterator[Figure]:
    if report.kind == CitedPapersReport.name:
        yield from citation_figures(report.payload, names)
    elif report.kind == LabelEffectsReport.name:
        yield from label_figures(report.payload)


def _facet_names(collection: Collection) -> dict[str, str]:
    return dict(collection.facets.values_list("key", "name"))


@in_collection(Role.ADMIN)
@require_POST
def compute(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Queue the reports on annotators, on cited papers, and on pool rounds if there are some."""
    measure = request.POST.get("measure", "")
    reports = [
        kind(measure)
        for kind in KINDS.values()
        if kind is not RoundEffectsReport or has_pool_rounds(collection)
    ]
    return start_reports(
        request, collection, reports, reverse("label-effects", args=[collection.slug])
    )


def start_reports(
    request: HttpRequest, collection: Collection, kinds: list[LabelComparison], address: str
) -> HttpResponse:
    """Queue the reports of one measure, and go to their page."""
    try:
        for kind in kinds:
            request_report(kind, collection=collection, requested_by=person_of(request))
    except BadMeasure as error:
        messages.error(request, str(error))
        return redirect(address)
    measure = kinds[0].measure
    messages.info(request, f"Comparing labels by {measure}.")
    return redirect(f"{address}?{urlencode({'measure': measure})}")


@in_collection(Role.ADMIN)
@require_safe
def figure_of(
    request: HttpRequest, collection: Collection, figure: str, extension: str
) -> HttpResponse:
    reports = [LabelReports(collection, kind) for kind in KINDS.values()]
    measure = chosen_measure(request, reports)
    names = _facet_names(collection)
    figures = [
        drawn for each in reports if (found := each.by(measure)) for drawn in _figures(found, names)
    ]
    return figure_file(figures, figure, extension, collection.slug)


@in_collection(Role.ADMIN)
@require_safe
def file_of(
    request: HttpRequest, collection: Collection, name: str, extension: str
) -> HttpResponse:
    return LabelReports(collection, KINDS[name]).file(request, extension, name)
