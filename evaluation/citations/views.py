"""The admin's page about cited papers as labels."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role
from evaluation.citations.figures import citation_figures
from evaluation.citations.tables import facet_lines
from evaluation.label_effects.pages import ReportPage
from evaluation.label_effects.services import CitedPapersReport
from evaluation.label_effects.views import start_report
from web.figure_files import figure_file, shown


def _page(request: HttpRequest, collection: Collection) -> ReportPage:
    return ReportPage.of(request, collection, CitedPapersReport)


@in_collection(Role.ADMIN)
@require_safe
def cited_papers(request: HttpRequest, collection: Collection) -> HttpResponse:
    page = _page(request, collection)
    context = page.context()
    if page.report is not None:
        names = dict(collection.facets.values_list("key", "name"))
        context["grades"] = collection.grades
        context["lines"] = facet_lines(page.report.payload, names)
        context["figures"] = [
            shown(figure, "cited-papers-figure", collection.slug, page.query)
            for figure in citation_figures(page.report.payload, names)
        ]
    return render(request, "evaluation/cited_papers.html", context)


@in_collection(Role.ADMIN)
@require_POST
def compute_cited_papers(request: HttpRequest, collection: Collection) -> HttpResponse:
    kind = CitedPapersReport(request.POST.get("measure", ""))
    return start_report(request, collection, kind, reverse("cited-papers", args=[collection.slug]))


@in_collection(Role.ADMIN)
@require_safe
def cited_papers_figure(
    request: HttpRequest, collection: Collection, figure: str, extension: str
) -> HttpResponse:
    report = _page(request, collection).report
    names = dict(collection.facets.values_list("key", "name"))
    figures = citation_figures(report.payload, names) if report else []
    return figure_file(figures, figure, extension, collection.slug)


@in_collection(Role.ADMIN)
@require_safe
def cited_papers_file(request: HttpRequest, collection: Collection, extension: str) -> HttpResponse:
    return _page(request, collection).file(extension, "cited-papers")
