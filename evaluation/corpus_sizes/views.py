"""The admin's page about retrievers over sub-corpora of growing size."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from evaluation.corpus_sizes.figures import size_figures
from evaluation.corpus_sizes.forms import CorpusSizesForm
from evaluation.corpus_sizes.report import CorpusSizesReport
from evaluation.corpus_sizes.tables import csv_rows, field_lines, size_lines, words_left_out
from jobs.listing import jobs_to_show
from reports.services import changed_since, request_report, stored_report
from web.downloads import json_download, text_download
from web.errors import UserFacingError
from web.figure_files import figure_file, shown
from web.tables.csv_cells import csv_text


@in_collection(Role.ADMIN)
@require_safe
def corpus_sizes(request: HttpRequest, collection: Collection) -> HttpResponse:
    return _page(request, collection, CorpusSizesForm(collection))


@in_collection(Role.ADMIN)
@require_POST
def measure_corpus_sizes(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = CorpusSizesForm(collection, request.POST)
    if form.is_valid():
        try:
            request_report(form.kind, collection=collection, requested_by=person_of(request))
        except UserFacingError as error:
            form.add_error(None, str(error))
        else:
            messages.info(request, "Measuring the retrievers.")
            return redirect("corpus-sizes", collection.slug)
    return _page(request, collection, form, status=400)


def _page(
    request: HttpRequest, collection: Collection, form: CorpusSizesForm, status: int = 200
) -> HttpResponse:
    report = stored_report(CorpusSizesReport(), collection)
    context: dict[str, Any] = {
        "collection": collection,
        "form": form,
        "report": report,
        "has_queries": collection.queries.exists(),
        "jobs": jobs_to_show(collection, [CorpusSizesReport.name]),
    }
    if report is not None:
        figures = size_figures(report.payload)
        context |= {
            "payload": report.payload,
            "changed": changed_since(report),
            "left_out": words_left_out(report.payload),
            "field_lines": field_lines(report.payload),
            "size_lines": size_lines(report.payload),
            "figures": [shown(each, "corpus-sizes-figure", collection.slug) for each in figures],
        }
    return render(request, "evaluation/corpus_sizes.html", context, status=status)


@in_collection(Role.ADMIN)
@require_safe
def corpus_sizes_figure(
    request: HttpRequest, collection: Collection, figure: str, extension: str
) -> HttpResponse:
    return figure_file(size_figures(_payload(collection)), figure, extension, collection.slug)


@in_collection(Role.ADMIN)
@require_safe
def corpus_sizes_file(request: HttpRequest, collection: Collection, extension: str) -> HttpResponse:
    payload, filename = _payload(collection), f"{collection.slug}-corpus-sizes.{extension}"
    if extension == "json":
        return json_download(payload, filename)
    return text_download(csv_text(*csv_rows(payload)), "text/csv", filename)


def _payload(collection: Collection) -> Any:
    report = stored_report(CorpusSizesReport(), collection)
    if report is None:
        raise Http404("no report on corpus sizes")
    return report.payload
