"""The admin's page about self-consistency and drift."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection
from accounts.actions.services import record_people_read
from accounts.models import Collection, Role
from agreement.consistency.drift import FEWEST, QUICK
from agreement.consistency.page import CONSISTENCY, page_of
from agreement.consistency.repeated import FEWEST_REPEATS
from agreement.consistency.report import ConsistencyReport
from annotation.models import Judgment
from reports.pages import report_context, report_json, report_or_404, request_from_page
from reports.services import stored_report
from web.figure_files import figure_file, shown
from web.tables.cells import SHORT_PAGE_ROWS, numbered_page
from web.tables.columns import csv_file, wants_csv

PAGE = "consistency"  # in the record: the report has the figures of each person


@in_collection(Role.ADMIN)
@require_safe
def consistency(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    report = stored_report(ConsistencyReport(), collection)
    if report is not None:
        record_people_read(collection=collection, page=PAGE)
    if wants_csv(request):
        page = page_of(report_or_404(ConsistencyReport(), collection).payload)
        columns = CONSISTENCY.shown(request)
        return csv_file(f"{collection.slug}-consistency", columns, page.all_lines)
    context = report_context(ConsistencyReport(), collection, report) | {
        "can_compute": Judgment.objects.filter(slot__pair__query__collection=collection).exists(),
    }
    if report is not None:
        page = page_of(report.payload)
        context |= {
            "page": page,
            "lines": numbered_page(page.lines, request, anchor="#advice", size=SHORT_PAGE_ROWS),
            "left_out": report.payload["repeats_left_out"],
            "figures": {
                figure.name.replace("-", "_"): shown(figure, "consistency-figure", collection.slug)
                for figure in page.figures
            },
            "fewest": FEWEST,
            "fewest_repeats": FEWEST_REPEATS,
            "quick": QUICK,
        }
    return render(request, "agreement/consistency.html", context)


@in_collection(Role.ADMIN)
@require_POST
def compute_consistency(request: HttpRequest, collection: Collection) -> HttpResponse:
    message = "Computing self-consistency and drift."
    return request_from_page(request, collection, ConsistencyReport(), message=message)


@in_collection(Role.ADMIN)
@require_safe
def consistency_json(request: HttpRequest, collection: Collection) -> HttpResponse:
    record_people_read(collection=collection, page=PAGE)
    return report_json(ConsistencyReport(), collection, "consistency")


@in_collection(Role.ADMIN)
@require_safe
def consistency_figure(
    request: HttpRequest, collection: Collection, figure: str, extension: str
) -> HttpResponse:
    report = report_or_404(ConsistencyReport(), collection)
    return figure_file(page_of(report.payload).figures, figure, extension, collection.slug)
