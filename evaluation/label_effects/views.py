"""The admin's pages about the effect of labels, and about cited papers as labels."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from evaluation.citations.figures import citation_figures
from evaluation.citations.tables import facet_lines
from evaluation.label_effects.figures import label_figures
from evaluation.label_effects.pages import CSV, JSON, ReportPage
from evaluation.label_effects.rankings import BadMeasure
from evaluation.label_effects.services import (
    CitedPapersReport,
    LabelComparison,
    LabelEffectsReport,
)
from reports.services import request_report
from web.figure_files import figure_file, shown
from web.figures import Figure

Kind = type[LabelEffectsReport] | type[CitedPapersReport]


def report_urls(kind: Kind) -> list[URLPattern]:
    """The addresses of the page and their names, which begin with `page` of the kind."""
    name, shared = kind.page, {"kind": kind}
    return [
        path("", show_report, shared, name=name),
        path("compute/", compute, shared, name=f"compute-{name}"),
        path("figures/<slug:figure>.<slug:extension>", figure_of, shared, name=f"{name}-figure"),
        *(
            path(f"report.{extension}", file_of, shared | {"extension": extension}, name=file_name)
            for extension, file_name in ((CSV, f"{name}-csv"), (JSON, f"{name}-json"))
        ),
    ]


@in_collection(Role.ADMIN)
@require_safe
def show_report(request: HttpRequest, collection: Collection, kind: Kind) -> HttpResponse:
    page = ReportPage.of(request, collection, kind)
    context = page.context()
    is_of_cited = kind is CitedPapersReport
    if page.report is not None:
        if is_of_cited:
            context["grades"] = collection.grades
            context["lines"] = facet_lines(page.report.payload, _facet_names(collection))
        context["figures"] = [
            shown(figure, f"{kind.page}-figure", collection.slug, page.query)
            for figure in _figures(page)
        ]
    template = "evaluation/cited_papers.html" if is_of_cited else "evaluation/label_effects.html"
    return render(request, template, context)


def _figures(page: ReportPage) -> list[Figure]:
    if page.report is None:
        return []
    payload = page.report.payload
    if page.kind is CitedPapersReport:
        return citation_figures(payload, _facet_names(page.collection))
    return label_figures(payload)


def _facet_names(collection: Collection) -> dict[str, str]:
    return dict(collection.facets.values_list("key", "name"))


@in_collection(Role.ADMIN)
@require_POST
def compute(request: HttpRequest, collection: Collection, kind: Kind) -> HttpResponse:
    report = kind(request.POST.get("measure", ""))
    return start_report(request, collection, report, reverse(kind.page, args=[collection.slug]))


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
def figure_of(
    request: HttpRequest, collection: Collection, kind: Kind, figure: str, extension: str
) -> HttpResponse:
    figures = _figures(ReportPage.of(request, collection, kind))
    return figure_file(figures, figure, extension, collection.slug)


@in_collection(Role.ADMIN)
@require_safe
def file_of(
    request: HttpRequest, collection: Collection, kind: Kind, extension: str
) -> HttpResponse:
    return ReportPage.of(request, collection, kind).file(extension, kind.page)
