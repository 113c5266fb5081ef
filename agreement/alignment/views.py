"""The admin's page about agreement with and without proposed grades."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of, row_or_404
from accounts.models import Collection, Role
from agreement.alignment.page import ALIGNMENT, ComparedMeasureLine
from agreement.alignment.report import AlignmentReport, studied
from jobs.listing import jobs_to_show
from reports.services import changed_since, request_report, stored_report
from web.downloads import json_download
from web.tables.cells import numbered_page
from web.tables.columns import csv_file, wants_csv


@in_collection(Role.ADMIN)
@require_safe
def alignment(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    report = stored_report(AlignmentReport(), collection)
    if wants_csv(request):
        rows = row_or_404(report, "no current report").payload["queries"]
        return csv_file(f"{collection.slug}-alignment", ALIGNMENT.shown(request), rows)
    context: dict[str, Any] = {
        "collection": collection,
        "report": report,
        "studied": studied(collection),
        "jobs": jobs_to_show(collection, [AlignmentReport.name]),
    }
    if report is not None:
        payload = report.payload
        context |= {
            "lines": [ComparedMeasureLine(row) for row in payload["measures"]],
            "proposals": payload["proposals"],
            "queries": numbered_page(payload["queries"], request, anchor="#queries"),
            "changed": changed_since(report),
        }
    return render(request, "agreement/alignment.html", context)


@in_collection(Role.ADMIN)
@require_POST
def compute_alignment(request: HttpRequest, collection: Collection) -> HttpResponse:
    request_report(AlignmentReport(), collection=collection, requested_by=person_of(request))
    messages.info(request, "Comparing agreement with and without proposed grades.")
    return redirect("alignment", collection.slug)


@in_collection(Role.ADMIN)
@require_safe
def alignment_json(request: HttpRequest, collection: Collection) -> HttpResponse:
    report = row_or_404(stored_report(AlignmentReport(), collection), "no current report")
    return json_download(report.payload, f"{collection.slug}-alignment.json")
