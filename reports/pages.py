"""The parts that the pages and the API of stored reports have in common."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from accounts.access import person_of
from accounts.models import Collection
from jobs.listing import jobs_to_show
from reports.kinds import ReportKind
from reports.models import StoredReport
from reports.services import changed_since, request_report, stored_report
from web.downloads import json_download


def report_or_404(kind: ReportKind, collection: Collection) -> StoredReport:
    """The stored report. Raises Http404 until it has been computed by this version."""
    report = stored_report(kind, collection)
    if report is None:
        raise Http404("no current report")
    return report


def report_context(
    kind: ReportKind, collection: Collection, report: StoredReport | None
) -> dict[str, Any]:
    """The collection, the report, the inputs that changed since, and the jobs of its kind."""
    return {
        "collection": collection,
        "report": report,
        "changed": changed_since(report) if report else "",
        "jobs": jobs_to_show(collection, [kind.name]),
    }


def report_json(kind: ReportKind, collection: Collection, name: str) -> HttpResponse:
    """The payload as the file `<collection>-<name>.json`."""
    payload = report_or_404(kind, collection).payload
    return json_download(payload, f"{collection.slug}-{name}.json")


def request_from_page(
    request: HttpRequest, collection: Collection, kind: ReportKind, *, message: str, query: str = ""
) -> HttpResponse:
    """Queue the job of the report, and go to its page, which shows the job and the message."""
    request_report(kind, collection=collection, requested_by=person_of(request))
    messages.info(request, message)
    return redirect(reverse(kind.page, args=[collection.slug]) + query)
