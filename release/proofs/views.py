"""The admin's pages about the proofs."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from jobs.listing import jobs_to_show
from release.proofs.display import MOST_NAMED, DifferingJudgment, DisplayProof
from reports.kinds import ReportKind
from reports.models import StoredReport
from reports.services import changed_since, request_report, stored_report
from web.downloads import json_download
from web.tables.cells import numbered_page


@in_collection(Role.ADMIN)
@require_safe
def show_display_proof(request: HttpRequest, collection: Collection) -> HttpResponse:
    context = _state(collection, DisplayProof())
    if report := context["report"]:
        differences = [DifferingJudgment(*row) for row in report.payload["differences"]]
        context["page"] = numbered_page(differences, request, anchor="#differences")
        found = report.summary["different"] + report.summary["earlier_different"]
        context["most_named"] = MOST_NAMED if found > MOST_NAMED else None
    return render(request, "release/display_proof.html", context)


@in_collection(Role.ADMIN)
@require_POST
def prove_display(request: HttpRequest, collection: Collection) -> HttpResponse:
    request_report(DisplayProof(), collection=collection, requested_by=person_of(request))
    messages.info(request, "Checking the judgments.")
    return redirect("display-proof", collection.slug)


@in_collection(Role.ADMIN)
@require_safe
def display_proof_json(request: HttpRequest, collection: Collection) -> HttpResponse:
    payload = _report(collection, DisplayProof()).payload
    return json_download(payload, f"{collection.slug}-display-proof.json")


def _state(collection: Collection, kind: ReportKind) -> dict[str, Any]:
    """The latest proof of the kind, what changed since, and its jobs."""
    report = stored_report(kind, collection)
    return {
        "collection": collection,
        "report": report,
        "changed": changed_since(report) if report else "",
        "has_judgments": collection.queries.filter(slot_counts__judged__gt=0).exists(),
        "jobs": jobs_to_show(collection, [kind.name]),
    }


def _report(collection: Collection, kind: ReportKind) -> StoredReport:
    report = stored_report(kind, collection)
    if report is None:
        raise Http404(f"no report {kind.name}")
    return report
